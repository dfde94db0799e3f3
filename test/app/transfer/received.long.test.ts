import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RunEvent } from "../../../src/model/schemas.ts";
import { writeLine } from "../../../src/store/journal-line.ts";
import { counted, times } from "../../dose.ts";
import { type Machine, makeMachines } from "./machines.ts";

const approved = `
steps:
  - { id: plan, type: action, instructions: "Plan it", gate: [{ approval: human }] }
  - { id: build, type: action, instructions: "Build it" }
`;

describe("what comes from another machine", () => {
  it("is approved only when someone here approves, also what was approved there", async () => {
    const { ada, bob } = makeMachines({ flow: approved });
    const { runId: run } = await ada.agent().ok("start", { workflow: "flow" });
    await ada.agent().no("advance", { output: "a plan" });
    await ada.person().ok("approve", { reason: "fine" });
    await ada.person().ok("push", { run });
    await bob.script().ok("pull");
    expect(await bob.agent("s2").no("advance", { output: "a plan" })).toMatchObject({ code: "approval-needed" });
    expect(await bob.script().ok("overview", { run })).toMatchObject({
      status: { status: "waiting", step: "plan" },
      gates: ["a person's approval (given on another machine, which does not count here)"],
    });
    const { decisions } = await bob.script().ok("context", { run });
    expect(decisions).toMatchObject([{ what: "approved", by: "ada", foreign: true }]);
    await bob.person().ok("approve");
    expect(await bob.agent("s2").ok("advance", { output: "a plan" })).toMatchObject({ step: "build" });
    const log = await bob.script().ok("log", { run });
    const given = log.events
      .filter(({ type }) => type === "approval-given")
      .map(({ seq }) => log.foreign.includes(seq));
    expect(given).toEqual([true, false]);
  });

  it("does not make one's own approvals foreign when it comes back", async () => {
    const { ada, bob } = makeMachines({ flow: approved });
    const { runId: run } = await ada.agent().ok("start", { workflow: "flow" });
    await ada.agent().no("advance", { output: "a plan" });
    await ada.person().ok("approve");
    await ada.agent().ok("advance", { output: "a plan" });
    await ada.person().ok("push", { run });
    await bob.script().ok("pull");
    await bob.person().ok("pause", { reason: "lunch" });
    await bob.person().ok("push", { run });
    await ada.script().ok("pull");
    const { events, foreign } = await ada.script().ok("log", { run });
    const elsewhere = events.filter(({ seq }) => foreign.includes(seq)).map(({ type }) => type);
    expect(elsewhere).toEqual(["run-received", "run-paused"]);
  });

  it("is not believed where it tells of the future", async () => {
    const { ada, bob } = makeMachines({ flow: approved });
    ada.aheadBy(60 * 24 * 365);
    const { runId: run } = await ada.agent().ok("start", { workflow: "flow" });
    await ada.person().ok("push", { run });
    const { runs } = await bob.script().ok("pull");
    const told = (await ada.script().events(run)).length;
    expect(runs).toMatchObject([{ runId: run, ahead: told }]);
    const { ahead } = await bob.script().ok("log", { run });
    expect(ahead).toHaveLength(told);
    expect((await bob.script().ok("runs")).runs).toMatchObject([
      { startedAt: "2026-01-31T00:00:00.000Z", updatedAt: "2026-01-31T00:00:00.000Z" },
    ]);
  });

  it("runs its commands only when someone here has trusted them", async () => {
    const gated = `steps: [{ id: plan, type: action, instructions: x, gate: [{ run: "true" }] }, { id: end, type: action, instructions: x }]`;
    const { ada, bob } = makeMachines({ flow: gated });
    const { runId: run } = await ada.person().ok("start", { workflow: "flow" });
    await ada.person().ok("push", { run });
    await bob.script().ok("pull");
    expect(await bob.agent("s2").no("advance")).toMatchObject({ code: "template-untrusted" });
  });

  it("is refused as a whole when a line of it was changed, and says where", async () => {
    const { ada, bob, remote } = makeMachines({ flow: approved });
    const { runId: run } = await ada.agent().ok("start", { workflow: "flow" });
    await ada.person().ok("pause", { reason: "lunch" });
    await ada.person().ok("push", { run });
    const tampered = ada.journal(run).replace("lunch", "bribe");
    overwrite(remote, run, { "journal.jsonl": tampered, ...templatesOf(ada, run) });
    const refusal = {
      code: "copy-damaged",
      source: `the run ${run} in origin`,
      line: 2,
      problem: "its content does not match its hash",
    };
    expect(await bob.script().no("pull", { run })).toEqual(refusal);
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ result: "refused" }]);
    expect(await bob.script().ok("runs")).toEqual({ runs: [], damaged: [] });
    overwrite(remote, run, { "journal.jsonl": ada.journal(run) });
    expect(await bob.script().no("pull", { run })).toMatchObject({
      line: null,
      problem: expect.stringMatching(/^its template .* is missing$/),
    });
    overwrite(remote, run, { "journal.jsonl": '{"format":3,"what":"nobody knows yet"}\n' });
    await expect(bob.script().ok("pull", { run })).rejects.toMatchObject({ code: "format-newer" });
  });
});

it("many runs come in one go", async () => {
  const count = counted(times({ quick: 40, long: 1_000, soak: 1_000 }));
  const { ada, bob, remote } = makeMachines({ flow: approved });
  const { runId: first } = await ada.agent().ok("start", { workflow: "flow" });
  const events = await ada.script().events(first);
  const ids = Array.from({ length: count }, (_, n) => `flow-20260131_000000-${String(n).padStart(4, "0")}`);
  const files = ids.map((runId) => {
    const own = events.map((event) => RunEvent.parse(event.type === "run-started" ? { ...event, runId } : event));
    const journal = writeLine({ version: 1, prev: "", writer: "test", events: own }).bytes.toString();
    return [runId, { "journal.jsonl": journal, ...templatesOf(ada, first) }] as const;
  });
  fastImport(remote, files);
  const { runs } = await bob.script().ok("pull", { all: true });
  expect(runs.map(({ result }) => result).filter((result) => result === "new")).toHaveLength(count);
  expect((await bob.script().ok("runs")).runs).toHaveLength(count);
  expect(new Set((await bob.script().ok("pull")).runs.map(({ result }) => result))).toEqual(new Set(["same"]));
});

type Files = Readonly<Record<string, string>>;

function templatesOf(machine: Machine, run: string): Files {
  const tree = machine.git("-C", machine.runFolder(run), "ls-files", "--others").split("\n");
  const names = tree.filter((name) => name.startsWith("template-"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(machine.runFolder(run), name), "utf8")]));
}

/** What someone else could push under a run's name. */
function overwrite(remote: string, run: string, files: Files): void {
  fastImport(remote, [[run, files]]);
}

function fastImport(remote: string, runs: readonly (readonly [string, Files])[]): void {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = runs.map(([run, files]) => {
    const changes = Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`);
    const ref = `refs/holdfast/runs/${run}`;
    return `reset ${ref}\ncommit ${ref}\ncommitter x <x@example.org> 0 +0000\n${data("x")}${changes.join("")}\n`;
  });
  execFileSync("git", ["--git-dir", remote, "fast-import", "--quiet", "--force"], { input: commits.join("") });
}
