import { describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../world.ts";
import { createHosts, type HostProcess, shownBy, twoSteps } from "../hook-ports.ts";

const notMeant =
  "Holdfast: you are a subagent. Go on with the task you were given; the workflow of this project is the main agent's.";

interface Session {
  readonly world: World;
  readonly host: HostProcess;
  readonly runId: string;
  readonly transcript: string;
}

async function started(): Promise<Session> {
  const world = makeWorld();
  world.workflow("feature", twoSteps);
  const { runId } = await world.agent("mine").ok("start", { workflow: "feature" });
  const host = createHosts(world)();
  await host.start("mine", "startup");
  return { world, host, runId, transcript: world.path("home/mine.jsonl") };
}

async function compactions({ world, runId }: Session): Promise<string[]> {
  const types = (await world.person().events(runId)).map(({ type }) => type);
  return types.filter((type) => type.startsWith("compaction"));
}

/** A whole compaction, as the host tells of it; what the agent reads after it. */
async function compact({ host, transcript }: Session, agent: string | null, trigger = "auto"): Promise<string> {
  const before = await host.tell("mine", "PreCompact", { agent, transcript, trigger });
  const { context = "" } = await host.start("mine", "compact", { agent, transcript });
  await host.tell("mine", "PostCompact", { agent, transcript, trigger, summaryLength: 10 });
  // What the summary must keep is said exactly where the handoff comes after it.
  expect("instructions" in before).toBe(shownBy({ context }) === "full");
  return context;
}

describe("the compaction of a subagent that the host names", () => {
  it("brings it one line, and neither the run nor the main agent's handoff is touched", async () => {
    const session = await started();
    expect(await compact(session, "a1")).toBe(notMeant);
    expect(await compactions(session)).toEqual([]);
    expect(shownBy({ context: await compact(session, null) })).toBe("full");
    expect(await compactions(session)).toEqual(["compaction-began", "compaction-ended"]);
  });

  it("does not settle a /compact that the main agent was asked for", async () => {
    const session = await started();
    session.world.workflow("short", `${twoSteps.replace('"Build it"', '"Build it", context: compact')}`);
    const agent = session.world.agent("other");
    const { runId } = await agent.ok("start", { workflow: "short" });
    await agent.ok("advance", { output: "A plan" });
    await session.host.tell("other", "PostCompact", { agent: "a1", trigger: "auto", summaryLength: 10 });
    const types = (await session.world.person().events(runId)).map(({ type }) => type);
    expect(types).not.toContain("context-action-observed");
  });

  it("does not bring a lost handoff of the main agent to the subagent's tools", async () => {
    const session = await started();
    const { world, host } = session;
    await compact(session, null);
    const transcript = world.write("home/late.jsonl", '{"timestamp":"2027-01-01T00:00:00.000Z"}\n');
    expect(await host.tell("mine", "PostToolUse", { agent: "a1", transcript, afterMs: 20_000 })).toEqual({});
    expect(shownBy(await host.tell("mine", "PostToolUse", { transcript, afterMs: 20_000 }))).toBe("full");
  });

  it("says nothing where there is no workflow", async () => {
    const world = makeWorld();
    world.path(".holdfast/x");
    expect(await createHosts(world)().start("mine", "compact", { agent: "a1" })).toEqual({});
  });
});

describe("where an older host does not name the agent, its transcripts tell whose compaction it is", () => {
  const said = (input_tokens: number, content: object[]) =>
    `${JSON.stringify({ type: "assistant", message: { usage: { input_tokens }, content } })}\n`;
  const calls = (id: string) => [{ type: "tool_use", id, name: "Task" }];
  const result = (id: string, length = 10) =>
    `${JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(length) }] } })}\n`;
  const words = [{ type: "text", text: "That is all." }];
  const write = ({ world }: Session, main: string, sub: string) => {
    world.write("home/mine.jsonl", main);
    world.write("home/mine/subagents/agent-a1.jsonl", sub);
  };

  it("a subagent's, while the main agent waits for it, however full either is", async () => {
    const session = await started();
    write(session, said(900_000, calls("t1")), said(160_000, calls("t2")) + result("t2"));
    expect(await compact(session, null)).toBe(notMeant);
    expect(await compact(session, null)).toBe(notMeant);
    expect(await compactions(session)).toEqual([]);
  });

  it("a subagent's, while the main agent does something else with more room left", async () => {
    const session = await started();
    write(session, said(20_000, calls("t1")) + result("t1"), said(160_000, calls("t2")) + result("t2"));
    expect(await compact(session, null)).toBe(notMeant);
  });

  it.each([
    ["the subagent has ended", said(90_000, calls("t1")) + result("t1"), said(160_000, words)],
    ["the main agent is fuller", said(165_000, calls("t1")) + result("t1"), said(160_000, calls("t2")) + result("t2")],
    [
      "the main agent has just received a long result",
      said(120_000, calls("t1")) + result("t1", 240_000),
      said(160_000, calls("t2")) + result("t2"),
    ],
    ["its transcript says nothing", "", said(160_000, calls("t2")) + result("t2")],
  ])("the main agent's, when %s", async (_when, main, sub) => {
    const session = await started();
    write(session, main, sub);
    expect(shownBy({ context: await compact(session, null) })).toBe("full");
    expect(await compactions(session)).toEqual(["compaction-began", "compaction-ended"]);
  });

  it("the main agent's, when the person asked for it", async () => {
    const session = await started();
    write(session, said(20_000, calls("t1")), said(160_000, calls("t2")) + result("t2"));
    expect(shownBy({ context: await compact(session, null, "manual") })).toBe("full");
  });

  it("either one's, when both are under way: then both get the handoff, and it is not meant for a subagent", async () => {
    const session = await started();
    const { host, transcript } = session;
    write(session, said(20_000, calls("t1")), said(160_000, calls("t2")) + result("t2"));
    await host.tell("mine", "PreCompact", { transcript, trigger: "auto" });
    write(session, said(170_000, calls("t1")) + result("t1"), said(160_000, calls("t2")) + result("t2"));
    await host.tell("mine", "PreCompact", { transcript, trigger: "auto" });
    for (const context of [await host.start("mine", "compact"), await host.start("mine", "compact")]) {
      expect(shownBy(context)).toBe("full");
      expect(context.context).toContain("If you are a subagent, ignore it and go on with the task you were given.");
    }
  });
});
