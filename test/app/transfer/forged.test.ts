import { describe, expect, it } from "vitest";
import { foreignEvents } from "../../../src/app/transfer/foreign.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import { writeLine } from "../../../src/store/journal-line.ts";
import { type Commits, forge } from "./forge.ts";
import { type Machine, makeMachines } from "./machines.ts";

const flow = `
loops:
  build: [{ id: do, instructions: "Do {task.title}" }]
steps:
  - { id: plan, type: action, instructions: "Plan it", gate: [{ approval: human }] }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, instructions: "Again" }
`;

/** A run that waits for an approval, and the file that it was exported to. */
async function exported() {
  const machines = makeMachines({ flow });
  const { runId: run } = await machines.ada.agent().ok("start", { workflow: "flow" });
  await machines.ada.agent().no("advance", { output: "a plan" });
  const { text } = await machines.ada.script().ok("export", { run });
  return { ...machines, run, text: text ?? "" };
}

const at = "2026-01-31T00:00:00.000Z";
const source = "run.holdfast";

/** The next event of a journal, as the engine would number it unless told otherwise. */
function next(commits: Commits, fact: object): RunEvent {
  return RunEvent.parse({ seq: commits.flat().length + 1, at, ...fact });
}

const approval = { type: "approval-given", token: "plan#1", by: "eve", reason: null };

function entered(place: object): object {
  return { type: "visit-entered", token: "x#1", place, number: 1, action: null, note: null };
}

describe("a journal that no machine of ours has written, although every hash in it is right", () => {
  it.each<[string, (commits: Commits) => Commits, string]>([
    [
      "an approval with the number of the start",
      (commits) => [...commits, [next(commits, { ...approval, seq: 1 })]],
      "event 1 is out of order: event 4 is expected",
    ],
    [
      "the greatest number there is",
      (commits) => [...commits, [next(commits, { ...approval, seq: Number.MAX_SAFE_INTEGER })]],
      "event 9007199254740991 is out of order: event 4 is expected",
    ],
    [
      "a gap",
      (commits) => [...commits, [next(commits, { ...approval, seq: 5 })]],
      "event 5 is out of order: event 4 is expected",
    ],
    ["a commit without events", (commits) => [...commits, []], "it has no events"],
    [
      "a second start",
      (commits) => [...commits, [next(commits, { ...commits[0]?.[0], seq: 4 })]],
      "it starts the run a second time",
    ],
    [
      "a step that its workflow does not have",
      (commits) => [...commits, [next(commits, entered({ type: "action", step: "nowhere" }))]],
      'it has a visit to "nowhere" that does not exist in its template',
    ],
    [
      "a step of another type",
      (commits) => [...commits, [next(commits, entered({ type: "action", step: "build" }))]],
      'it has a visit to "build" that does not exist in its template',
    ],
    [
      "a sub-step that its loop does not have",
      (commits) => {
        const place = { type: "sub-step", step: "build", index: 0, task: "t1", subStep: "undo" };
        return [...commits, [next(commits, entered(place))]];
      },
      'it has a visit to "build" that does not exist in its template',
    ],
    [
      "a turn too many",
      (commits) => [...commits, [next(commits, entered({ type: "ralph", step: "polish", iteration: 3 }))]],
      'it has a visit to "polish" that does not exist in its template',
    ],
  ])("is refused for %s, and says where", async (_, change, problem) => {
    const { bob, text } = await exported();
    expect(await bob.script().no("import", { text: forge(text, change), source })).toEqual({
      code: "copy-damaged",
      source,
      line: 2 + 3,
      problem,
    });
    expect(await bob.script().ok("runs")).toEqual({ runs: [], damaged: [] });
  });

  it("is refused when it begins with something else than a start", async () => {
    const { bob, text } = await exported();
    const late = forge(text, (commits) => {
      const [[start, ...rest] = [], ...others] = commits;
      const first = RunEvent.parse({ seq: 1, at, type: "summary-set", summary: "x" });
      return [[first, RunEvent.parse({ ...start, seq: 2 }), ...rest], ...others];
    });
    expect(await bob.script().no("import", { text: late, source })).toMatchObject({
      line: 3,
      problem: "it does not begin with the start of a run",
    });
  });

  it("is refused when a template that is missing is said to have had room for a visit", async () => {
    const { bob, text } = await exported();
    const hidden = forge(text, (commits) => {
      const [[start] = []] = commits;
      if (start?.type !== "run-started") throw new Error("a journal begins with the start");
      const unknown = RunEvent.parse({ ...start, templateHash: `sha256:${"0".repeat(64)}` });
      const visit = RunEvent.parse({ seq: 2, at, ...entered({ type: "action", step: "nowhere" }) });
      const { templateHash } = start;
      return [[unknown, visit, RunEvent.parse({ seq: 3, at, type: "template-adopted", templateHash, by: "eve" })]];
    });
    expect(await bob.script().no("import", { text: hidden, source })).toMatchObject({
      line: null,
      problem: 'it has a visit to "nowhere" that does not exist in its template',
    });
  });

  it("does not leave the machine that it got to in another way", async () => {
    const { ada, run } = await exported();
    const journal = ada.journal(run);
    const prev = /"hash":"([0-9a-f]{64})"\}\n$/.exec(journal)?.[1] ?? "";
    const events = [RunEvent.parse({ seq: 9, at, ...approval })];
    const line = writeLine({ version: 3, prev, writer: "forger", events }).bytes.toString();
    ada.write(`.holdfast/runs/${run}/journal.jsonl`, `${journal}${line}`);
    const broken = {
      code: "state-broken",
      message: `${run}/journal.jsonl, commit 3: event 9 is out of order: event 4 is expected`,
    };
    await expect(ada.script().ok("export", { run })).rejects.toMatchObject(broken);
    await expect(ada.person().ok("push", { run })).rejects.toMatchObject(broken);
  });
});

it("an event is foreign by its place in the journal, whatever number its sender gave it", () => {
  const [first, second, forged, receipt, own] = [
    { seq: 1, type: "summary-set", summary: "own" },
    { seq: 2, type: "run-paused", by: "eve", reason: null },
    { seq: 1, type: "run-resumed", by: "eve" },
    { seq: 2, type: "run-received", from: "origin", machine: "m-1", worktree: null, after: 1 },
    { seq: 3, type: "summary-set", summary: "own again" },
  ].map((fact) => RunEvent.parse({ at, ...fact }));
  const events = [first, second, forged, receipt, own].filter((event) => event !== undefined);
  expect(foreignEvents(events, "m-1")).toEqual({ foreign: [1, 2], ahead: [] });
  expect(foreignEvents(events, "m-2")).toEqual({ foreign: [], ahead: [] });
});

describe("a journal that has been through much", () => {
  async function travels(from: Machine, to: Machine, run: string): Promise<void> {
    const { text } = await from.script().ok("export", { run });
    expect(await to.script().ask("import", { text: text ?? "", source })).toMatchObject({ ok: true });
  }

  it("travels after a repair of it, and after a workflow was changed under it", async () => {
    const { ada, bob, run } = await exported();
    await ada.person().ok("approve");
    await ada.agent().ok("advance", { output: "a plan" });
    await ada.agent().ok("tasks", { loop: "build", tasks: [{ id: "t1", title: "one" }] });
    await travels(ada, bob, run);
    const changed = flow.replace("n: 2", "n: 3").replace("id: do,", "id: check, instructions: y }, { id: do,");
    bob.write(".holdfast/workflows/flow.yaml", `name: flow\ndescription: a test\n${changed}\n`);
    await bob.person().ok("adopt", { run });
    await bob.agent("s2").ok("next");
    await bob.agent("s2").ok("advance", { output: "done" });
    await bob.person().ok("pause", { reason: "lunch" });
    const lines = bob.journal(run).trimEnd().split("\n");
    bob.write(`.holdfast/runs/${run}/journal.jsonl`, `${lines.join("\n").replace("lunch", "bribe")}\n`);
    expect(await bob.person().ok("repair", { run })).toMatchObject({ repaired: true });
    await travels(bob, ada, run);
    expect(await ada.script().ok("status", { run })).toMatchObject({ status: "running", step: "polish" });
    await ada.person().ok("abort", { reason: "enough" });
    await travels(ada, bob, run);
    await travels(bob, ada, run);
  });

  it("travels after it was repaired when its run had ended", async () => {
    const { ada, bob, run } = await exported();
    await ada.person().ok("abort", { reason: "enough" });
    ada.write(`.holdfast/runs/${run}/journal.jsonl`, `${ada.journal(run)}what is this\n`);
    expect(await ada.person().ok("repair", { run })).toMatchObject({ repaired: true, lost: 1 });
    await travels(ada, bob, run);
    expect(await bob.script().ok("log", { run })).toMatchObject({ status: "aborted" });
  });
});
