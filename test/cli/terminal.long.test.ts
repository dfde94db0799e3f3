import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it, vi } from "vitest";
import { createProject, type Project, twoSteps } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const gated = (command: string) => `
name: gated
description: Gated
steps:
  - { id: test, type: action, instructions: Test it, gate: [{ run: ${JSON.stringify(command)} }] }
  - { id: ask, type: action, instructions: Ask, gate: [{ approval: human }] }
`;

function projectWith(text: string): Project {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", text);
  return project;
}

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

it("asks once whether the workflow's commands are trusted, and takes yes for an answer", async () => {
  const project = projectWith(gated("echo fine"));
  const first = openTerminal(project, ["start", "flow"]);
  const question = await first.until(/\[y\/N\] $/);
  expect(question.replaceAll("\r", "")).toBe(
    'The workflow "flow" runs these commands:\n  gate of test, at most 10m: echo fine\nTrust it? [y/N] ',
  );
  first.type("y\r");
  const { code, text } = await first.ended();
  expect(code).toBe(0);
  expect(text).toContain("Test it\n");
  const second = await openTerminal(project, ["start", "flow", "--new"]).ended();
  expect(second.code).toBe(0);
  expect(second.text).not.toContain("Trust it?");
});

it.each([
  ["n", "n\r"],
  ["nothing", "\r"],
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("takes %s for a no to the question of trust", async (_what, keys) => {
  const project = projectWith(gated("echo fine"));
  const terminal = openTerminal(project, ["start", "flow"]);
  await terminal.until(/\[y\/N\] $/);
  terminal.type(keys);
  const { code, text } = await terminal.ended();
  expect(code).toBe(1);
  expect(text).toContain(`${red("refused:")} the workflow "flow" runs commands that nobody has trusted`);
  expect(text).not.toContain("Warning");
  expect(existsSync(join(project.root, ".holdfast/runs"))).toBe(false);
});

it("shows every sign of a command that is to be trusted", async () => {
  const project = projectWith(gated("rm -rf / #\u001b[2K\rnpm test"));
  const terminal = openTerminal(project, ["start", "flow"]);
  expect(await terminal.until(/\[y\/N\] $/)).toContain(": rm -rf / #\\u{1b}[2K\\u{d}npm test\r\n");
  terminal.type("n\r");
  expect((await terminal.ended()).code).toBe(1);
});

it("asks nothing of whoever wants JSON", async () => {
  const project = projectWith(gated("echo fine"));
  const { code, text } = await openTerminal(project, ["start", "flow", "--json"]).ended();
  expect(code).toBe(1);
  expect(JSON.parse(text).error.code).toBe("template-untrusted");
});

it("what only a person may do works at a terminal, and not in an agent's shell", async () => {
  const project = projectWith(
    gated("true").replace("type: action, instructions: Ask", "type: action, budget: { turns: 1 }, instructions: Ask"),
  );
  const at = async (words: readonly string[], env = {}) => {
    const { code, text } = await openTerminal(project, [...words, "--no-color"], { env }).ended();
    return { code, text };
  };
  for (const name of ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"]) {
    expect(await at(["trust", "flow"], { [name]: "1" })).toEqual({
      code: 1,
      text: [
        "refused: trusting a workflow is for a person: this is an agent's shell",
        `         (${name} is set) (person-needed)`,
        "  Next   a person must run this command in a second terminal in this folder;",
        "         what is typed after ! still runs in the agent's shell",
        "",
      ].join("\n"),
    });
  }
  expect(await at(["trust", "flow", "--yes"])).toEqual({
    code: 0,
    text: expect.stringMatching(/^flow is trusted with 1 command\n {2}\S/),
  });
  await at(["start", "flow"]);
  expect((await at(["goto", "ask", "--reason", "tested by hand"])).text).toMatch(/ {2}running {2}step 2\/2 ask\n$/);
  expect((await at(["advance"])).text).toContain("(instructions-not-taken)");
  expect((await at(["next"])).code).toBe(0);
  expect((await at(["advance"])).code).toBe(1);
  expect((await at(["approve"], { CLAUDECODE: "1" })).code).toBe(1);
  expect((await at(["reject", "--reason", "ask nicely"])).code).toBe(0);
  expect((await at(["advance"])).code).toBe(1);
  expect((await at(["approve", "--reason", "fine"])).code).toBe(0);
  expect((await at(["decide", "continue"])).text).toContain("is not in review (review-not-open)\n");
  expect((await at(["reset"])).text).toContain("step 1/2 test   visit test#1\n");
  const events = (
    await project.json([
      "log",
      "--run",
      (await project.json(["runs"])).value.runs.find((row: { status: string }) => row.status === "aborted").runId,
    ])
  ).value.events;
  expect(events.filter((event: { by?: string }) => "by" in event).map((event: { type: string }) => event.type)).toEqual(
    ["run-redirected", "approval-refused", "approval-given", "run-aborted"],
  );
});

it("asks before a run is removed for good", async () => {
  const project = projectWith(twoSteps);
  const { runId } = (await project.json(["start", "flow"])).value;
  await project.holdfast(["abort"]);
  const no = openTerminal(project, ["rm", runId]);
  await no.until(/this permanently removes \S+\. Continue\? \[y\/N\] $/);
  no.type("no\r");
  expect((await no.ended()).code).toBe(1);
  const yes = openTerminal(project, ["gc", "--days", "0"]);
  await yes.until(/\[y\/N\] $/);
  yes.type("yes\r");
  const { code, text } = await yes.ended();
  expect(code).toBe(0);
  expect(text).toContain("removed 1 run\n");
});

it("clears its line of progress before it asks a question", async () => {
  const project = projectWith(twoSteps);
  const remote = join(project.home, "remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  execFileSync("git", ["remote", "add", "origin", remote], { cwd: project.root });
  await project.holdfast(["start", "flow"]);
  const terminal = openTerminal(project, ["push"]);
  const asked = await terminal.until(/Send it\? \[y\/N\] $/);
  expect(asked).toMatch(/asking origin\r {13}\rthe run \S+ leaves this machine/);
  terminal.type("n\r");
  expect((await terminal.ended()).code).toBe(1);
});

it("Ctrl-C stops a running gate with all that it started, and says so", async () => {
  const project = projectWith(gated("sleep 1000 & echo $! > child.pid; echo $$ > gate.pid; wait"));
  await project.holdfast(["start", "flow", "--trust"]);
  const terminal = openTerminal(project, ["advance", "--output", "done"]);
  await terminal.until(/gate: sleep 1000 & echo/);
  const pids = await vi.waitFor(
    () => ["child.pid", "gate.pid"].map((name) => Number(readFileSync(join(project.root, name), "utf8").trim() || "x")),
    { timeout: 20_000, interval: 20 },
  );
  expect(pids.map(isAlive)).toEqual([true, true]);
  terminal.type("\u0003");
  const { code, text } = await terminal.ended();
  expect(code).toBe(1);
  expect(text).toContain("the gate was interrupted: sleep 1000");
  expect(text).toContain("  Next   the run has not moved; advance again to run the gate again\n");
  expect(text).not.toContain("    at ");
  await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]));
  expect((await project.json(["status"])).value.token).toBe("test#1");
});

it("Ctrl-C while the tasks are typed ends without a change", async () => {
  const project = projectWith(twoSteps);
  const terminal = openTerminal(project, ["tasks", "build"]);
  await terminal.until(/then Ctrl-D/);
  terminal.type("\u0003");
  const { code, text } = await terminal.ended();
  expect(code).toBe(130);
  expect(text).toContain("reading standard input was interrupted; nothing was changed");
});

it("colours what a terminal shows, unless it is told not to", async () => {
  const project = projectWith(twoSteps);
  await project.holdfast(["start", "flow", "--summary", "S"]);
  const shown = async (words: readonly string[], env = {}) =>
    (await openTerminal(project, words, { env }).ended()).text;
  const [coloured = "", ...plain] = await Promise.all([
    shown(["status"]),
    shown(["status", "--no-color"]),
    shown(["status"], { NO_COLOR: "1" }),
    shown(["status"], { TERM: "dumb" }),
    shown(["advance", "--token", "x"], { NO_COLOR: "1" }),
    shown(["--help"], { NO_COLOR: "1" }),
  ]);
  expect(coloured).toContain("\u001b[32mrunning\u001b[39m");
  expect(coloured).toContain("\u001b[1m● plan\u001b[22m");
  for (const text of plain) expect(text).not.toContain("\u001b");
});

it("colours each stream by itself", async () => {
  const project = projectWith(twoSteps);
  const { code } = await openTerminal(project, ["status"], { behind: "2>errors.txt" }).ended();
  expect(code).toBe(1);
  expect(project.read("errors.txt")).toBe(
    "refused: there is no live run here (run-unknown)\n" +
      "  Next   start one with `holdfast start <workflow>`, or list the ended runs with `holdfast runs`\n",
  );
});

it.each([80, 120])("no line of the status is wider than %i columns", async (columns) => {
  const project = projectWith(`
name: wide
description: Long names everywhere
steps:
  - { id: understand_what_is_wanted_and_what_is_not, type: action, instructions: a }
  - { id: build, type: loop }
  - { id: 設計レビューをする, type: action, instructions: a }
  - { id: a_step_with_a_name_that_is_far_too_long_for_the_line_but_allowed_${"x".repeat(30)}, type: action, instructions: a }
  - { id: ship, type: action, instructions: a }
loops:
  build:
    - { id: implement, instructions: i, budget: { turns: 3 }, gate: [{ run: "npm run ${"very-".repeat(30)}long" }] }
`);
  await project.holdfast(["start", "flow", "--trust", "--summary", "設計 ".repeat(40)]);
  await project.holdfast(["tasks", "build"], { input: `${"とても長い題名 ".repeat(20)}\n${"long ".repeat(50)}` });
  await project.holdfast(["advance"]);
  const { text } = await openTerminal(project, ["status"], { columns }).ended();
  const lines = stripVTControlCharacters(text).trimEnd().split("\n");
  expect(lines.map(columnsOf).filter((width) => width > columns)).toEqual([]);
  expect(lines[0]).toMatch(/^wide · "設計 設計 .*… {3,}running · \d+ (s|min)$/);
  expect(text).toContain("visit build/t1/implement#1");
});

/** Every sign of these texts beyond Latin takes two columns, except the few of our own. */
function columnsOf(line: string): number {
  return [...line].reduce((sum, sign) => sum + (sign > "\u2fff" ? 2 : 1), 0);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie that nobody has collected yet is dead all the same.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
