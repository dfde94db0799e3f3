import { expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { createProject } from "./program.ts";
import { recordedIo } from "./recorded-io.ts";

type Case = readonly [words: readonly string[], message: string, next?: string];

const cases: readonly Case[] = [
  [["advnce"], 'unknown command "advnce"; did you mean advance?', "holdfast --help"],
  [["frobnicate"], 'unknown command "frobnicate"', "holdfast --help"],
  [["help", "stats"], 'unknown command "stats"; did you mean status?', "holdfast --help"],
  [["track", "strat"], 'unknown command "track strat"; did you mean track start?', "holdfast --help"],
  [["--run", "x", "status"], "options come after the command", "holdfast --help"],
  [["\u001b[2Jx"], 'unknown command "\\u001b[2Jx"', "holdfast --help"],
  [["advance", "--outpt", "x"], "unknown option --outpt; did you mean --output?"],
  [["status", "-x"], "unknown option -x"],
  [["status", "--\u001b[31m"], 'unknown option "--\\u001b[31m"'],
  [["advance", "--output"], "--output needs TEXT"],
  [
    ["advance", "--output", "--outcome"],
    "--output needs TEXT; for a value that starts with a dash, write --output=--outcome",
  ],
  [["status", "--no-color=yes"], "--no-color takes no value"],
  [["status", "--run", ""], "--run needs ID, but the value is empty"],
  [["status", "--run", "a", "--run", "b"], "--run is given more than once"],
  [["status", "--run", "a", "--run-id", "b"], 'two different runs are given: "a" and "b"'],
  [["adopt", "a", "--run", "b"], 'two different runs are given: "a" and "b"'],
  [["start"], "<workflow> is missing"],
  [["graph", "feature", "again"], 'unexpected argument "again"'],
  [["status", "feature"], 'unexpected argument "feature"'],
  [["schema", "tempalte"], '"tempalte" is not one of template, state, event, run-line; did you mean template?'],
  [["start", "feature", "--var", "depth"], '--var needs NAME=VALUE, not "depth"'],
  [["start", "feature", "--var", "a=1", "--var", "a=2"], "--var a is given more than once"],
  [
    ["start", "feature", "--var", "1st=1"],
    "--var 1st must be a plain name (letters, digits and _, no digit first, at most 64 characters)",
  ],
  [["start", "feature", "--var", "__proto__=1"], '--var: "__proto__" is a reserved name; use another'],
  [["advance", "--artifact", "constructor=x"], '--artifact: "constructor" is a reserved name; use another'],
  [["advance", "--artifact", "spec=../passwd"], "--artifact spec must be a path inside the project"],
  [["advance", "--output", "a", "-"], "the output is given more than once", "use one of --output, --output-file and -"],
  [["advance", "--output", "a", "--output", "b"], "--output is given more than once"],
  [["advance", "done"], 'unexpected argument "done"', "holdfast advance --output TEXT"],
  [["advance", "--output-file", "nowhere.md"], "cannot read nowhere.md (ENOENT)", "check the path and the permissions"],
  [["fail"], "--reason is missing"],
  [["fail", "--reason", "  "], "--reason must not be empty"],
  [["reject"], "--reason is missing"],
  [["reject", "--reason", ""], "--reason needs TEXT, but the value is empty"],
  [["approve", "--reason", " \n"], "--reason must not be empty"],
  [["goto", "plan"], "--reason is missing"],
  [
    ["decide", "contniue"],
    '"contniue" is not one of retry, skip, go_to, continue, pivot, escalate, abandon; did you mean continue?',
  ],
  [["log", "--after", "ten"], '--after needs a whole number, not "ten"'],
  [["log", "--after", "-1"], "--after needs N; for a value that starts with a dash, write --after=-1"],
  [["show", "1.5"], '<event> needs a whole number, not "1.5"'],
  [["show", "0"], "<event> must be more than 0"],
  ...["0", "-1", "abc", "1e9", "1".repeat(17)].map((event): (typeof cases)[number] => [
    ["status", `--at=${event}`],
    `--at needs the number of an event, such as 12, not "${event}"; holdfast log lists them`,
  ]),
  [["diff", "abc", "2"], '<from> needs the number of an event, such as 12, not "abc"; holdfast log lists them'],
  [["diff", "2", "0"], '<to> needs the number of an event, such as 12, not "0"; holdfast log lists them'],
  [["diff", "2"], "<to> is missing"],
  [["gc", "--days", "x"], '--days needs a whole number, not "x"'],
  [["repair"], "the run id is missing", "list the ids with: holdfast runs"],
  [["approve", "--as", "Ann"], "--as and --secret-file must be used together", "give both, or neither"],
  [["approve", "--secret-file", "key"], "--as and --secret-file must be used together", "give both, or neither"],
  [["approve", "--as", "A\nnn", "--secret-file", "key"], "--as needs a plain name on one line"],
  [["next", "--session", "s".repeat(201)], "--session must have at most 200 characters"],
];

const rows = cases.map(([words, message, next]) => ({ words, message, next }));

it.each(rows)("$words is explained and does nothing", async ({ words, message, next }) => {
  const help = next ?? `holdfast ${words[0]} --help`;
  const byHand = recordedIo();
  expect(await runCli(words, byHand.io)).toBe(2);
  expect(byHand.said.out).toBe("");
  expect(byHand.said.err).toMatch(/^usage: .*\n {2}Usage {3}holdfast .*\n {2}Next {4}.*\n$/);
  expect(byHand.said.err.split("\n")[0]).toBe(`usage: ${message}`);
  expect(byHand.said.err).toContain(`  Next    ${help}\n`);
  const forPrograms = recordedIo();
  expect(await runCli([words[0] ?? "", "--json", ...words.slice(1)], forPrograms.io)).toBe(2);
  expect(forPrograms.said.err).toBe("");
  expect(JSON.parse(forPrograms.said.out)).toEqual({ error: { code: "usage", message, next: help } });
});

const inputs: readonly (readonly [
  what: string,
  input: string | Uint8Array,
  words: readonly string[],
  message: string,
])[] = [
  ["nothing", "", ["tasks", "build"], "the input has no tasks"],
  ["blank lines", " \n\n", ["tasks", "build"], "the input has no tasks"],
  ["half a list", '[{"id": "a"', ["tasks", "build"], "the tasks are not valid JSON: "],
  ["no list", '{"id": "a"}', ["tasks", "build"], 'the list of tasks must be a list: [{"id": "t1", "title": "..."}]'],
  ["a task without a title", '[{"id": "a"}]', ["tasks", "build"], "task 1: its title is missing"],
  ["a task with a number", '[{"id": 1, "title": "x"}]', ["tasks", "build"], "task 1: its id must be text"],
  ["a list of words", '["a"]', ["tasks", "build"], "task 1 must be an object with id and title"],
  ["bytes that are no text", Uint8Array.of(0xff, 0xfe, 0x41), ["tasks", "build"], "standard input is not UTF-8 text"],
  ["zero bytes", "a\0b", ["advance", "-"], "standard input is not UTF-8 text"],
  [
    "too much",
    "x".repeat(1_000_001),
    ["advance", "-"],
    "--output must have at most 1,000,000 characters; it has 1,000,001",
  ],
];

it.each(inputs)("%s on standard input is explained and does nothing", async (_what, input, words, message) => {
  const { io, said } = recordedIo({ readInput: async () => Buffer.from(input) });
  expect(await runCli([...words, "--json"], io)).toBe(2);
  const { error } = JSON.parse(said.out);
  expect(error.code).toBe("usage");
  expect(error.message.slice(0, message.length)).toBe(message);
  expect(error.message).not.toContain("\n");
});

it("the program itself says it the same way", async () => {
  const { bundled } = createProject();
  const [byHand, json, binary] = await Promise.all([
    bundled(["advance", "--outpt", "x"]),
    bundled(["fail", "--json"]),
    bundled(["tasks", "build", "--json"], { input: Uint8Array.of(0, 255, 0) }),
  ]);
  expect(byHand).toEqual({
    code: 2,
    stdout: "",
    stderr: [
      "usage: unknown option --outpt; did you mean --output?",
      "  Usage   holdfast advance [-] [options]",
      "  Next    holdfast advance --help",
      "",
    ].join("\n"),
  });
  expect(json).toEqual({
    code: 2,
    stdout: '{"error":{"code":"usage","message":"--reason is missing","next":"holdfast fail --help"}}\n',
    stderr: "",
  });
  expect(binary?.stdout).toBe(
    '{"error":{"code":"usage","message":"standard input is not UTF-8 text","next":"send UTF-8 text"}}\n',
  );
});
