import { describe, expect, it } from "vitest";
import { parseCommand } from "../../src/cli/command/parse.ts";
import { commands } from "../../src/cli/commands.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { packageVersion } from "../package-version.ts";
import { createProject } from "./program.ts";
import { recordedIo } from "./recorded-io.ts";

describe.each(commands.map((command) => [command.name, command] as const))("holdfast %s", (name, command) => {
  it("says what it does and how it is called", () => {
    expect(command.about).toMatch(/^[A-Z].*\.$/);
    expect(command.examples.filter((example) => example.startsWith(`holdfast ${name}`))).not.toEqual([]);
  });

  it("has examples that can be typed", () => {
    for (const example of command.examples) {
      const [program, ...words] = wordsOf(example);
      const called = words.splice(0, name.split(" ").length);
      expect([program, called.join(" ")]).toEqual(["holdfast", name]);
      expect(() => parseCommand(command, words)).not.toThrow();
    }
  });

  it("explains itself with --help, in lines of 80 columns", async () => {
    const { io, said } = recordedIo();
    const called = name.split(" ");
    expect(await runCli([...called, "--help"], io)).toBe(0);
    expect(said.err).toBe("");
    expect(said.out).toContain(`\nUsage: holdfast ${name} `);
    for (const option of [...Object.keys(command.options), "run", "json", "help"])
      expect(said.out).toMatch(new RegExp(`--(\\[no-\\])?${option}\\b`));
    for (const example of command.examples) expect(said.out).toContain(`\n  ${example}\n`);
    for (const line of said.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    for (const words of [
      ["help", ...called],
      [...called, "-h"],
      [...called, "one", "two", "--help"],
    ]) {
      const again = recordedIo();
      expect(await runCli(words, again.io)).toBe(0);
      expect(again.said).toEqual(said);
    }
  });
});

it("the program shows every command, its version and the help of a command", async () => {
  const { bundled } = createProject();
  const [help, bare, whole, ofOne, version, short] = await Promise.all(
    [["--help"], [], ["help", "--all"], ["tasks", "--help"], ["--version"], ["-v"]].map((words) => bundled(words)),
  );
  expect(help?.code).toBe(0);
  expect(help?.stderr).toBe("");
  expect(bare).toEqual(help);
  for (const { name } of commands) {
    expect(whole?.stdout).toMatch(new RegExp(`\n  ${name} +[A-Z]`));
    expect(help?.stdout).toMatch(new RegExp(`\\s${name.split(" ")[0]}\\s`));
  }
  expect([...(help?.stdout ?? "").matchAll(/^ {2}(\w+) {2,}[A-Z]/gm)].map(([, name]) => name)).toEqual([
    "init",
    "list",
    "start",
    "status",
    "next",
    "advance",
    "approve",
    "answer",
    "runs",
    "doctor",
  ]);
  expect(help?.stdout).toContain("All take --json, --run <id> and --help; mcp, hook and statusline only --help.\n");
  expect(help?.stdout.split("\n").length).toBeLessThanOrEqual(24);
  expect(help?.stdout).toContain("Exit codes: 0 done, 1 refused, 2 usage, 3 system error, 4 waits, 130 stopped.\n");
  for (const line of (help?.stdout ?? "").split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(ofOne?.stdout).toMatch(
    /^Set the tasks of a loop: a JSON list of \{id, title, description, depends_on\}, or\none title per line /,
  );
  expect(ofOne?.stdout).toContain("The JSON list [] skips the loop; empty\ninput is refused.\n");
  expect(version).toEqual({ code: 0, stdout: `${packageVersion}\n`, stderr: "" });
  expect(short).toEqual(version);
});

it("help and version are JSON for whoever asks for it", async () => {
  const { io, said } = recordedIo();
  expect(await runCli(["--version", "--json"], io)).toBe(0);
  expect(JSON.parse(said.out)).toEqual({ version: packageVersion });
  const help = recordedIo();
  expect(await runCli(["status", "--help", "--json"], help.io)).toBe(0);
  expect(JSON.parse(help.said.out).help).toMatch(/^Show where a run stands\./);
});

/** The words of one call, as a shell would hand them over: without what is piped in, redirected or piped on. */
function wordsOf(example: string): string[] {
  const call = example
    .replace(/^.*? \| (?=holdfast)/, "")
    .replace(/ \| .*$/, "")
    .replace(/ [<>] .*$/, "");
  return [...call.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ""));
}
