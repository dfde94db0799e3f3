import { describe, expect, it } from "vitest";
import { createHosts } from "../continuity/hook-ports.ts";
import { makeWorld, type World } from "../world.ts";

const steps = `
hold: true
steps:
  - { id: plan, type: action, instructions: Plan it, gate: [{ exists: plan.md }] }
  - { id: build, type: action, instructions: Build it, context: clear }
`;

async function begin(world: World = makeWorld(), law = steps) {
  world.workflow("own", law);
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "own" });
  return { world, agent, runId };
}

describe("an agent that asks", () => {
  it("is told to wait, by every process, until a person answers by name", async () => {
    const { world, agent, runId } = await begin();
    expect(await agent.ok("ask", { question: "Which database?" })).toMatchObject({
      status: "waiting",
      question: { id: "q1", text: "Which database?" },
    });
    expect(await world.agent("s1").no("advance", { output: "done" })).toMatchObject({ code: "answer-needed" });
    expect(await world.person().ok("status")).toMatchObject({ status: "waiting", question: { id: "q1" } });
    await world.person().ok("answer", { answer: "PostgreSQL" });
    const status = await world.agent("s1").ok("next");
    expect(status).toMatchObject({ status: "running", token: "plan#1" });
    expect("instructions" in status && status.instructions).toContain("answer (ada)\n> PostgreSQL");
    expect((await agent.events(runId)).at(-1)).toMatchObject({ type: "question-answered", by: "ada" });
  });

  it("may pass on what the person said, and the journal says that it was passed on", async () => {
    const { agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    expect(await agent.ok("answer", { answer: "PostgreSQL" })).toMatchObject({ status: "running", token: "plan#1" });
    expect((await agent.events()).at(-1)).toMatchObject({ type: "question-answered", by: "passed on by the agent" });
  });

  it("cannot pass for a person with a secret that is none", async () => {
    const { world, agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    const forger = world.script({ as: { name: "bo", secretFile: world.write("guess", "not the secret") } });
    expect(await forger.no("answer", { answer: "mine" })).toMatchObject({ code: "person-needed" });
  });

  it("goes on without an answer when the question is taken back", async () => {
    const { world, agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    expect(await world.person().ok("withdraw")).toMatchObject({ status: "running" });
  });

  it.each(["\x01", "\u200B", "\u200B \u2060\u00AD", "\x1b[31m\x1b[0m", "\u3164", "\u2800"])(
    "cannot ask or be answered with nothing that could be seen (%j)",
    async (blank) => {
      const { agent } = await begin();
      expect(() => agent.ask("ask", { question: blank })).toThrow("must not be blank");
      await agent.ok("ask", { question: "\u00BF?" });
      expect(() => agent.ask("answer", { answer: blank })).toThrow("must not be blank");
    },
  );

  it.each([
    ["a script", (world: World) => world.script()],
    ["the agent", (world: World) => world.agent("s1")],
  ])("is named when the question is taken back by %s: nothing was passed on", async (by, faceOf) => {
    const { world, agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    await faceOf(world).ok("withdraw");
    expect((await agent.events()).at(-1)).toMatchObject({ type: "question-withdrawn", by });
  });

  it("waits for nothing at a step that a person has moved the run to", async () => {
    const { world, agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    const moved = await world.person().ok("goto", { step: "build", reason: "enough" });
    expect(moved).toMatchObject({ status: "running", token: "build#1" });
    expect(moved).not.toHaveProperty("question");
    expect(await world.person().no("answer", { answer: "PostgreSQL" })).toMatchObject({ code: "question-not-open" });
    expect(await agent.no("ask", { question: "And now?" })).toMatchObject({ code: "step-stale", seat: true });
    await agent.ok("next");
    expect(await agent.ok("ask", { question: "And now?" })).toMatchObject({ question: { id: "q2" } });
  });

  it("waits for nothing in the run that takes the place of one that was reset", async () => {
    const { world, agent } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    const anew = await world.person().ok("reset");
    expect(anew).toMatchObject({ status: "running", token: "plan#1" });
    expect(anew).not.toHaveProperty("question");
    expect(await world.person().no("answer", { answer: "PostgreSQL" })).toMatchObject({ code: "question-not-open" });
  });

  it("finds question and answer among the decisions when the phase is over", async () => {
    const { world, agent, runId } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.write("plan.md", "the plan");
    expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ contextAction: "/clear" });
    expect((await world.person().ok("handoff", { run: runId })).text).not.toContain("PostgreSQL");
    expect((await agent.ok("context", { run: runId })).decisions).toMatchObject([
      { step: "plan", what: "asked q1", text: "Which database?" },
      { step: "plan", what: "answered q1", by: "passed on by the agent", text: "PostgreSQL" },
    ]);
  });
});

describe("the hooks", () => {
  it("do not hold an agent whose run waits for an answer, and hold it again when that has come", async () => {
    const { world, agent } = await begin();
    const host = createHosts(world)();
    await host.start("s1", "resume");
    await agent.ok("ask", { question: "Which database?" });
    expect(await host.tell("s1", "Stop")).toEqual({
      notice: 'Holdfast: the workflow own waits for your answer to q1: "Which database?".',
    });
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.pass(1);
    expect((await host.tell("s1", "Stop")).block).toContain("The workflow own is not complete");
  });

  it("count no turns while a person is waited for", async () => {
    const world = makeWorld();
    const { agent } = await begin(
      world,
      "steps: [{ id: ship, type: action, instructions: x, gate: [{ approval: human }], budget: { turns: 2 } }]",
    );
    const host = createHosts(world)();
    await host.start("s1", "resume");
    const stop = async (times: number) => {
      for (let n = 0; n < times; n++) {
        world.pass(1);
        await host.tell("s1", "Stop");
      }
    };
    await agent.ok("ask", { question: "Which database?" });
    await stop(3);
    expect(await agent.ok("status")).toMatchObject({ status: "waiting" });
    await agent.ok("answer", { answer: "PostgreSQL" });
    expect(await agent.no("advance", { output: "done" })).toMatchObject({ code: "approval-needed" });
    await stop(3);
    expect(await agent.ok("status")).toMatchObject({ status: "waiting" });
    await world.person().ok("reject", { reason: "not yet" });
    await stop(2);
    expect(await agent.ok("status")).toMatchObject({ status: "review" });
  });

  it("bring an open question back after a compaction, and an answer, each once", async () => {
    const { world, agent } = await begin();
    const host = createHosts(world)();
    await agent.ok("ask", { question: "Which database?" });
    const waiting = (await host.start("s1", "compact")).context ?? "";
    expect(waiting).toContain("  Waiting for the answer to q1: ask the person, pass their answer on");
    expect(waiting).toContain("  | > Which database?\n");
    expect(waiting).toContain("then wait as stated above.");
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.pass(1);
    const going = (await host.start("s1", "resume")).context ?? "";
    expect(going).toContain('ANSWERS\n  q1 "Which database?" passed on by the agent: "PostgreSQL"\n');
    expect(going.match(/PostgreSQL/g)).toHaveLength(1);
  });
});
