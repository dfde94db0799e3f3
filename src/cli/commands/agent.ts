import { quote } from "../../model/quote.ts";
import {
  defineCommand,
  flagOption,
  listOption,
  type ParsedArguments,
  runOption,
  textOption,
} from "../command/command.ts";
import { printReply } from "../print/print-status.ts";
import type { Io } from "../terminal/io.ts";
import { readText } from "../terminal/read-text.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { UsageError } from "../terminal/usage-error.ts";

const variables = {
  type: "string",
  multiple: true,
  value: "NAME=VALUE",
  about: "set a variable; may be repeated",
} as const;

export const start = defineCommand({
  name: "start",
  area: "an agent's calls",
  operation: "start",
  positionals: ["<workflow>"],
  options: {
    summary: { type: "string", value: "TEXT", mayBeEmpty: true, about: "the request in one line" },
    var: variables,
    new: { type: "boolean", about: "start another run although one is live" },
    trust: { type: "boolean", about: "trust the workflow's commands now (for CI)" },
  },
  about: "Start a workflow, or show its live run in this worktree.",
  examples: ['holdfast start feature --summary "Add dark mode"', 'holdfast start qa-loop --var scope="the API"'],
  input: async (parsed) => ({
    workflow: parsed.positionals[0],
    summary: textOption(parsed, "summary"),
    variables: pairs(parsed, "var"),
    another: flagOption(parsed, "new"),
    trust: flagOption(parsed, "trust"),
  }),
  print: printReply,
});

export const next = defineCommand({
  name: "next",
  area: "an agent's calls",
  operation: "next",
  positionals: [],
  options: { token: { type: "string", value: "TOKEN", about: "the visit that is meant" } },
  about: "What to do now. Hands out a context action that is due; status only shows it.",
  examples: ["holdfast next"],
  input: async (parsed) => ({ run: runOption(parsed), token: textOption(parsed, "token") }),
  print: printReply,
});

export const tasks = defineCommand({
  name: "tasks",
  area: "an agent's calls",
  operation: "tasks",
  positionals: ["<loop>"],
  options: { file: { type: "string", value: "FILE", about: "read them from a file instead of standard input" } },
  about:
    "Set a loop's tasks: a JSON list of {id, title, description}, or one title a line (ids t1, t2, ...). " +
    "The JSON list [] skips the loop; an empty text is refused.",
  examples: [
    "holdfast tasks build --file tasks.json",
    "holdfast tasks build < titles.txt",
    "echo '[]' | holdfast tasks build",
  ],
  input: async (parsed, io) => ({
    run: runOption(parsed),
    loop: parsed.positionals[0],
    tasks: readTasks(await readText(io, textOption(parsed, "file") ?? "-")),
  }),
  print: printReply,
});

export const advance = defineCommand({
  name: "advance",
  area: "an agent's calls",
  operation: "advance",
  positionals: ["[-]"],
  options: {
    output: { type: "string", value: "TEXT", mayBeEmpty: true, about: "what was done" },
    "output-file": { type: "string", value: "FILE", about: "read it from a file; - is standard input" },
    outcome: { type: "string", value: "NAME", about: "one of the step's outcomes" },
    token: { type: "string", value: "TOKEN", about: "the visit's token, from the status" },
    var: variables,
    artifact: { type: "string", multiple: true, value: "NAME=PATH", about: "name a file that later steps use" },
  },
  about: "End the current visit. Its gates are checked first.",
  examples: [
    'holdfast advance --output "toggle works, tests pass"',
    "holdfast advance --outcome approved --output-file review.md",
  ],
  input: async (parsed, io) => ({
    run: runOption(parsed),
    output: await outputOf(parsed, io),
    outcome: textOption(parsed, "outcome"),
    token: textOption(parsed, "token"),
    variables: pairs(parsed, "var"),
    artifacts: pairs(parsed, "artifact"),
  }),
  print: printReply,
});

export const fail = defineCommand({
  name: "fail",
  area: "an agent's calls",
  operation: "advance",
  positionals: [],
  options: {
    reason: { type: "string", value: "TEXT", about: "why; needed" },
    token: { type: "string", value: "TOKEN", about: "the visit's token, from the status" },
  },
  about: "Say that the current visit failed; the workflow says what follows (retry, skip, abort).",
  examples: ['holdfast fail --reason "the service cannot be reached from here"'],
  async input(parsed) {
    const reason = textOption(parsed, "reason");
    if (!reason?.trim()) throw new UsageError(`--reason ${reason === undefined ? "is missing" : "must not be empty"}`);
    return { run: runOption(parsed), output: reason, failed: true, token: textOption(parsed, "token") };
  },
  print: printReply,
});

async function outputOf(parsed: ParsedArguments, io: Io): Promise<string> {
  const text = textOption(parsed, "output");
  const file = textOption(parsed, "output-file");
  const [dash] = parsed.positionals;
  if ([text, file, dash].filter((each) => each !== undefined).length > 1) {
    throw new UsageError("the output is given twice", "use one of --output, --output-file and -");
  }
  if (dash !== undefined && dash !== "-") {
    throw new UsageError(`${quote(dash)} is one word too many`, "holdfast advance --output TEXT");
  }
  const source = file ?? dash;
  return source === undefined ? (text ?? "") : readText(io, source);
}

/** An empty text is more likely a pipe that broke than a wish to skip the loop, which `[]` says plainly. */
function readTasks(text: string): unknown {
  if (text.trim() === "") {
    throw new UsageError("there are no tasks in the text", "send at least one, or [] to skip the loop");
  }
  if (!/^\s*[[{]/.test(text)) {
    const titles = text.split("\n").map((line) => line.trim());
    return titles.filter((title) => title !== "").map((title, index) => ({ id: `t${index + 1}`, title }));
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = oneLine(error.message);
    throw new UsageError(`the tasks are not valid JSON: ${problem}`, 'send [{"id": "t1", "title": "..."}]');
  }
}

export function pairs(parsed: ParsedArguments, name: string): Record<string, string> | undefined {
  const given = listOption(parsed, name);
  if (given.length === 0) return undefined;
  const entries = new Map<string, string>();
  for (const pair of given) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(`--${name} wants NAME=VALUE, not ${quote(pair)}`);
    // No map of names can hold this one; it would be lost on the way.
    if (key === "__proto__") throw new UsageError(`--${name}: "__proto__" is a reserved name; use another`);
    if (entries.has(key)) throw new UsageError(`--${name} ${key} is given twice`);
    entries.set(key, value);
  }
  return Object.fromEntries(entries);
}
