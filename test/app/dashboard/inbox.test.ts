import { chmodSync, existsSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../../src/app/operations.ts";
import { changeRun } from "../../../src/app/runs/change-run.ts";
import { readFrozen } from "../../../src/app/workflows/frozen-template.ts";
import type { Command } from "../../../src/model/command.ts";
import type { InboxItem } from "../../../src/serve/contract/contract.ts";
import { type Face, makeWorld, type World } from "../world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
});

/** A person at the dashboard. */
const atDashboard = () => world.script({ person: { by: "ada", via: "dashboard" } });

const itemsOf = async (face: Face): Promise<readonly InboxItem[]> =>
  (await face.ok("inbox")).items.map((item) => ({ project: "p", ...item }));

const oneStep = (keys: string) => `steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: work, type: action, instructions: Do it, ${keys} }
  - { id: ship, type: action, instructions: Ship it }`;

async function atWork(keys: string, more = "") {
  world.workflow("walk", `${more}\n${oneStep(keys)}`);
  await world.person().ok("trust", { workflow: "walk", yes: true });
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "walk" });
  await agent.ok("advance", { output: "the plan, in the project's words" });
  return { agent, runId };
}

/** The ways for a run to come to wait for a person. */
const waits = {
  async approval() {
    const { agent } = await atWork("gate: [{ approval: human }]");
    await agent.no("advance", { output: "done as planned" });
  },
  async answer() {
    const { agent } = await atWork("");
    await agent.ok("ask", { question: "Red or blue?" });
  },
  async "review of a step"() {
    const { agent } = await atWork("budget: { minutes: 1 }");
    world.pass(5);
    await agent.no("advance", { output: "done" });
  },
  async "review of the run"() {
    const { agent } = await atWork("", "budget: { minutes: 1 }");
    world.pass(5);
    await agent.no("advance", { output: "done" });
  },
  async decision() {
    const { agent } = await atWork("");
    await agent.ok("advance", { output: "it is impossible", failed: true });
  },
  async resume() {
    const { runId } = await atWork("");
    await world.person().ok("pause", { run: runId, reason: "lunch" });
  },
};

describe("every choice of the inbox is accepted by the operation that it names", () => {
  test.each(Object.entries(waits))("%s", async (_kind, wait) => {
    await wait();
    const [first] = await itemsOf(atDashboard());
    expect(first?.choices.length).toBeGreaterThan(1);
    expect(new Set(first?.choices.map(({ key }) => key)).size).toBe(first?.choices.length);
    for (const at of first?.choices.keys() ?? []) {
      world = makeWorld();
      await wait();
      const person = atDashboard();
      const [item, ...others] = await itemsOf(person);
      expect(others).toEqual([]);
      const choice = item?.choices[at];
      if (item === undefined || choice === undefined) throw new Error("the choice is gone");
      const said = choice.text === null ? {} : { [choice.text.name]: choice.text.options?.[0] ?? "because" };
      await person.ok(choice.operation as OperationName, { ...choice.input, ...said } as never);
      const after = await itemsOf(atDashboard());
      expect(after.map(({ id }) => id)).not.toContain(item.id);
      const log = await person.ok("log", { run: item.runId });
      expect(log.events.some((event) => "via" in event && event.via === "dashboard")).toBe(true);
    }
  });
});

/** What a hook of the agent's host tells when its session begins. */
async function hostTells({ deps }: Face, runId: string): Promise<void> {
  const standing = await deps.journal.load(runId);
  if (standing === null) throw new Error(`there is no run ${runId}`);
  const { template } = await readFrozen(deps, standing.run);
  const environment = {
    hostname: null,
    platform: "linux",
    cwd: ".",
    commit: world.git("rev-parse", "HEAD").trim(),
    branch: "main",
  };
  const command: Command = {
    type: "start-session",
    session: "s1",
    host: "claude-code",
    source: "startup",
    environment,
  };
  expect((await changeRun(deps, standing, template, { command })).ok).toBe(true);
}

describe("what a slow finger decides", () => {
  /** The keys of the page, and those that follow its `g`. */
  const taken = [..."jkong", ..."riwc"];

  test.each(Object.entries(waits))("nothing, on the way to another screen: %s", async (_kind, wait) => {
    await wait();
    const [item] = await itemsOf(atDashboard());
    const atOnce = item?.choices.filter(({ text, warning }) => text?.isNeeded !== true && warning === null);
    expect(item?.choices.length).toBeGreaterThan(0);
    expect(atOnce?.filter(({ key }) => taken.includes(key))).toEqual([]);
    expect(item?.choices.map(({ key }) => key)).not.toContain("g");
  });
});

describe("the inbox", () => {
  test("asks once more before it withdraws a question, and does not say that an end is final", async () => {
    await waits.answer();
    const [question] = await itemsOf(atDashboard());
    expect(question?.choices.find(({ operation }) => operation === "withdraw")?.warning).toContain("without an answer");
    world = makeWorld();
    await waits.decision();
    const person = atDashboard();
    const [failure] = await itemsOf(person);
    const abandon = failure?.choices.find(({ label }) => label === "Abandon the run");
    expect(abandon?.warning).toContain("you can reopen it");
    await person.ok("decide", abandon?.input as never);
    expect((await person.ok("reopen", { run: failure?.runId ?? "" })).status).toBe("running");
  });

  test("tells since when each waits, oldest first, and nothing that goes on by itself", async () => {
    world.workflow("walk", oneStep(""));
    for (const n of [1, 2, 3]) {
      const agent = world.agent(`s${n}`);
      await agent.ok("start", { workflow: "walk", summary: `run ${n}`, another: true });
      world.pass(10);
      if (n < 3) await agent.ok("ask", { question: `Question ${n}?` });
    }
    const items = await itemsOf(atDashboard());
    expect(items.map(({ summary, since, text }) => [summary, since, text])).toEqual([
      ["run 1", "2026-01-31T00:10:00.000Z", "Question 1?"],
      ["run 2", "2026-01-31T00:20:00.000Z", "Question 2?"],
    ]);
  });

  test("shows what failed gates printed, the output of the step before and the changes in the worktree", async () => {
    world.write("kept.txt", "one\n");
    world.commit();
    world.write("check.sh", "echo three tests failed; exit 1");
    const { agent } = await atWork("gate: [{ run: sh check.sh }]");
    world.write("kept.txt", "two\n");
    await agent.no("advance", { output: "done" });
    await agent.ok("advance", { output: "I cannot get it to pass", failed: true });
    const [item] = await itemsOf(atDashboard());
    expect(item).toMatchObject({ kind: "decision", text: "I cannot get it to pass", step: "work" });
    const titles = item?.evidence.map(({ title }) => title);
    expect(titles).toEqual(["Gate failed: sh check.sh", "The output of plan", "Changes in the worktree"]);
    expect(item?.evidence[0]?.text).toContain("three tests failed");
    expect(item?.evidence[1]?.text).toBe("the plan, in the project's words");
    expect(item?.evidence[2]?.text).toContain("kept.txt | 2 +-");
    expect(item?.evidence[2]?.text).toContain("check.sh (untracked)");
  });

  test("shows what passed gates printed, and what the agent has committed since the run began", async () => {
    world.write("kept.txt", "one\n");
    world.commit();
    world.workflow("walk", oneStep("gate: [{ run: echo nine tests passed }, { run: exit 0 }, { approval: human }]"));
    await world.person().ok("trust", { workflow: "walk", yes: true });
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    await hostTells(agent, runId);
    await agent.ok("advance", { output: "the plan" });
    world.write("kept.txt", "two\n");
    world.commit();
    await agent.no("advance", { output: "done" });
    const [item] = await itemsOf(atDashboard());
    const titles = item?.evidence.map(({ title }) => title);
    expect(titles).toEqual([
      "Gate passed: echo nine tests passed",
      "Gates passed",
      "The output of plan",
      "Changes since the run began",
    ]);
    expect(item?.evidence[0]?.text).toContain("nine tests passed");
    expect(item?.evidence[3]?.text).toMatch(/kept\.txt +\| 2 \+-/);
  });

  test("cuts what is too long, and says so", async () => {
    world.workflow("walk", oneStep("gate: [{ approval: human }]"));
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "walk" });
    await agent.ok("advance", { output: "x".repeat(100_000) });
    await agent.no("advance", { output: "done" });
    const [item] = await itemsOf(atDashboard());
    const before = item?.evidence.find(({ title }) => title === "The output of plan");
    expect([before?.text.length, before?.isCut]).toEqual([8_000, true]);
  });

  test("runs no program that the repository configures when it looks at the worktree", async () => {
    const trace = world.path("ran.txt");
    const trap = world.write("trap.sh", `#!/bin/sh\necho ran >> '${trace}'\ncat\n`);
    chmodSync(trap, 0o755);
    world.write(".gitattributes", "*.txt filter=trap diff=trap\n");
    world.write("kept.txt", "one\n");
    world.commit();
    for (const name of ["filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "diff.trap.textconv"])
      world.git("config", name, trap);
    for (const name of ["diff.trap.command", "diff.external", "core.fsmonitor"]) world.git("config", name, trap);
    world.git("config", "filter.trap.required", "true");
    world.write("kept.txt", "two\n");
    await waits.answer();
    const [item] = await itemsOf(atDashboard());
    expect(item?.evidence.at(-1)?.text).toContain("kept.txt");
    expect(existsSync(trace)).toBe(false);
  });

  test("shows the outcome that is to be approved, and decides about this request only", async () => {
    const { agent } = await atWork("gate: [{ approval: human }], outcomes: { fine: ship, poor: ship }");
    await agent.no("advance", { output: "see above", outcome: "poor" });
    const [item] = await itemsOf(atDashboard());
    expect(item?.text).toBe('With the outcome "poor":\n\nsee above');
    const asked = (await agent.events()).find(({ type }) => type === "approval-requested")?.seq;
    expect(item?.choices.map(({ input }) => input)).toEqual([
      expect.objectContaining({ asked }),
      expect.objectContaining({ asked }),
    ]);
  });

  test("does not offer an approval that must be given elsewhere", async () => {
    const { agent } = await atWork("gate: [{ approval: { human: [terminal] } }]");
    await agent.no("advance", { output: "done" });
    const labels = async (face: Face) => (await itemsOf(face))[0]?.choices.map(({ label }) => label);
    expect(await labels(atDashboard())).toEqual(["Reject"]);
    expect(await labels(world.person())).toEqual(["Approve", "Reject"]);
  });

  test("has an item for each task that waits, and each is decided on its own", async () => {
    world.workflow(
      "many",
      `loops:
  work: [{ id: do, instructions: "Do {task.title}" }]
steps:
  - { id: work, type: loop, parallel: 2 }`,
    );
    const agents = [world.agent("s1"), world.agent("s2")];
    const { runId } = (await agents[0]?.ok("start", { workflow: "many" })) ?? { runId: "" };
    const tasks = ["a", "b"].map((id) => ({ id, title: `Task ${id}` }));
    await agents[0]?.ok("tasks", { loop: "work", tasks });
    for (const agent of agents) {
      await agent.ok("next", { run: runId });
      await agent.ok("ask", { run: runId, question: "Which way?" });
    }
    const items = await itemsOf(atDashboard());
    expect(items.map(({ task }) => task)).toEqual(["a: Task a", "b: Task b"]);
    const answer = items[1]?.choices[0];
    await atDashboard().ok("answer", { ...answer?.input, answer: "left" });
    expect((await itemsOf(atDashboard())).map(({ task }) => task)).toEqual(["a: Task a"]);
  });
});
