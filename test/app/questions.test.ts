import { describe, expect, it } from "vitest";
import { createHosts } from "./continuity-scene.ts";
import { makeWorld, type World } from "./world.ts";

const steps = `
hold: true
steps:
  - { id: plan, type: action, instructions: Plan it, gate: [{ exists: plan.md }] }
  - { id: build, type: action, instructions: Build it, context: clear }
`;

async function begin(world: World = makeWorld()) {
  world.workflow("own", steps);
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

  it("finds question and answer among the decisions when the phase is over", async () => {
    const { world, agent, runId } = await begin();
    await agent.ok("ask", { question: "Which database?" });
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.write("plan.md", "the plan");
    expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ contextAction: "/clear" });
    expect((await world.person().ok("handoff", { run: runId })).handoff).not.toContain("PostgreSQL");
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
    expect(await host.tell("s1", "Stop")).toEqual({});
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.pass(1);
    expect((await host.tell("s1", "Stop")).block).toContain("The workflow own is not complete");
  });

  it("bring an open question back after a compaction, and an answer, each once", async () => {
    const { world, agent } = await begin();
    const host = createHosts(world)();
    await agent.ok("ask", { question: "Which database?" });
    const waiting = (await host.start("s1", "compact")).context ?? "";
    expect(waiting).toContain("  It waits for the answer to q1: ask the person, pass on what they say");
    expect(waiting).toContain("  | > Which database?\n");
    expect(waiting).toContain("go on from here: wait as said above.");
    await agent.ok("answer", { answer: "PostgreSQL" });
    world.pass(1);
    const going = (await host.start("s1", "resume")).context ?? "";
    expect(going).toContain('ANSWERS\n  q1 "Which database?" passed on by the agent: "PostgreSQL"\n');
    expect(going.match(/PostgreSQL/g)).toHaveLength(1);
  });
});
