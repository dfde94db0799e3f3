import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { statusLine } from "../../../../src/app/continuity/events/status-line.ts";
import { createHookPorts } from "../../../../src/app/continuity/ports/hook-ports.ts";
import { createCardFolder } from "../../../../src/cards/card-folder.ts";
import { createHosts, shownBy } from "../hook-ports.ts";
import { type SharedRun, sharedLoop, startShared } from "../shared-loop.ts";

/** What a session reads after a compaction. */
async function compact({ host }: SharedRun, session: string, afterMs = 0): Promise<string> {
  await host.tell(session, "PreCompact", { trigger: "auto", afterMs });
  return (await host.start(session, "compact", { afterMs })).context ?? "";
}

/** Which of the tasks a text has words of. */
function tasksIn(text: string): number[] {
  return [1, 2, 3, 4, 5].filter((task) =>
    new RegExp(`Title ${task}|Description ${task}|Output ${task}|\\bt${task}\\b`).test(text),
  );
}

async function lineOf({ world }: SharedRun, session: string): Promise<string> {
  const ports = await createHookPorts(world.project);
  return statusLine(ports, { session, host: "claude", via: "statusline", parent: "1.1" }, null);
}

describe("the handoff of one of several agents on a loop", () => {
  it("has its own task, the counts of the loop, and no word of another's task", async () => {
    const shared = await startShared();
    await shared.claim("two");
    await shared.advance("two", "t2", "Output 2");
    const one = await compact(shared, "one");
    expect(tasksIn(one)).toEqual([1]);
    expect(one).toContain('CONTINUE HERE   step 2/3 build · task 1/5 "Title 1" · sub-step implement (1/2)');
    expect(one).toContain("  | Implement Title 1: Description 1");
    expect(one).toContain("0 of 5 tasks done. Other agents work on 1: leave it alone.");
    const two = await compact(shared, "two");
    expect(tasksIn(two)).toEqual([2]);
    expect(two).toContain("  | Verify Title 2");
    // What it gave in the step before of its own task.
    expect(two).toContain("LAST OUTPUT   visit build/t2/implement#1@2\n  | Output 2");
    expect(one).not.toContain("Output");
  });

  it("counts tasks that ended out of order, and names none of them", async () => {
    const shared = await startShared(sharedLoop.replace(", gate: [{ approval: human }]", ""));
    await shared.claim("two");
    await shared.advance("two", "t2", "Output 2");
    await shared.advance("two", "t2", "Output 2");
    const one = await compact(shared, "one");
    expect(tasksIn(one)).toEqual([1]);
    expect(one).toContain("1 of 5 tasks done. Other agents work on 1");
  });

  it("of an agent with several tasks lists them with their tokens, and the instructions of none", async () => {
    const shared = await startShared();
    await shared.claim("two");
    await shared.claim("one", "t3");
    const context = await compact(shared, "one");
    expect(tasksIn(context)).toEqual([1, 3]);
    expect(context).toContain('  - t1 "Title 1" · sub-step implement · visit build/t1/implement#1@1\n');
    expect(context).toContain('  - t3 "Title 3" · sub-step implement · visit build/t3/implement#1@3\n');
    expect(context).toContain("call workflow_status with its id as task");
    expect(context).not.toContain("  | Implement");
  });

  it("of an agent without a task says so, and how to get one", async () => {
    const shared = await startShared();
    await shared.host.tell("one", "SessionEnd", { reason: "logout" });
    const context = await compact(shared, "one", 60_000);
    expect(tasksIn(context)).toEqual([]);
    expect(context).toContain("You have no task of this loop. 3 are free. To get one, call workflow_status");
  });

  it("has the answers to its own questions only", async () => {
    const shared = await startShared();
    await shared.claim("two");
    for (const [session, id, task] of [
      ["one", "q1", "t1"],
      ["two", "q2", "t2"],
    ] as const) {
      await shared.world.agent(session).ok("ask", { question: `Which, for ${task}?` });
      await shared.world.person().ok("answer", { question: id, answer: `That, ${task}` });
    }
    expect(tasksIn(await compact(shared, "one"))).toEqual([1]);
    expect(tasksIn(await compact(shared, "two"))).toEqual([2]);
  });

  it("is in a file of its own where it is too long", async () => {
    const long = sharedLoop.replace("Implement {task.title}: {task.description}", `{task.title} ${"x ".repeat(9_000)}`);
    const shared = await startShared(long);
    await shared.claim("two");
    const files: string[] = [];
    for (const session of ["one", "two"]) {
      const context = await compact(shared, session);
      files.push(...[...context.matchAll(/read @(\S+?\.md)/g)].map(([, file]) => file ?? ""));
    }
    const [first, second] = [...new Set(files)];
    expect(tasksIn(shared.world.read(first ?? ""))).toEqual([1]);
    expect(tasksIn(shared.world.read(second ?? ""))).toEqual([2]);
  });
});

describe("when one of several agents stops", () => {
  it("it is held for a task of its own that can go on, and for no other", async () => {
    const shared = await startShared();
    await shared.claim("two");
    expect((await shared.host.tell("one", "Stop")).block).toContain("visit build/t1/implement#1@1");
    await shared.advance("one", "t1", "Output 1");
    await shared.advance("one", "t1", "Checked");
    const approval =
      "Holdfast: the workflow shared waits for your approval of the task t1 of the step build: " +
      'run holdfast approve --task t1, or holdfast reject --task t1 --reason "...".';
    expect(await shared.host.tell("one", "Stop", { afterMs: 60_000 })).toEqual({ notice: approval });
    expect((await shared.host.tell("two", "Stop", { afterMs: 60_000 })).block).toContain("build/t2/implement#1@2");
    await shared.claim("one", "t3");
    expect((await shared.host.tell("one", "Stop", { afterMs: 120_000 })).block).toContain("build/t3/implement#1@3");
  });

  it("it is not held where it has no task", async () => {
    const shared = await startShared();
    await shared.host.tell("one", "SessionEnd", { reason: "logout" });
    expect(await shared.host.tell("one", "Stop", { afterMs: 60_000 })).toEqual({});
  });

  it("its turn counts for its own task; for the run alone if it has several", async () => {
    const shared = await startShared();
    await shared.claim("two");
    await shared.host.tell("two", "Stop");
    await shared.claim("two", "t3");
    await shared.host.tell("two", "Stop", { afterMs: 60_000 });
    expect(await shared.events("usage-recorded")).toMatchObject([
      { session: "two", token: "build/t2/implement#1@2" },
      expect.not.objectContaining({ token: expect.anything() }),
    ]);
  });
});

describe("what a session does to its context", () => {
  const asking = sharedLoop.replace("type: loop,", "type: loop, context: compact,");

  it("settles the context action of its own task only", async () => {
    const shared = await startShared(asking);
    await shared.world.agent("one").ask("next");
    await shared.claim("two");
    const finish = (session: string) =>
      shared.host.tell(session, "PostCompact", { trigger: "manual", summaryLength: 9 });
    await finish("two");
    expect(await shared.events("context-action-observed")).toEqual([]);
    await finish("one");
    expect(await shared.events("context-action-observed")).toMatchObject([{ token: "build/t1/implement#1@1" }]);
  });
});

describe("a clear that is due before a task", () => {
  const asking = sharedLoop.replace("type: loop,", "type: loop, context: clear,");

  it("is done by a clear of the session that has the task, and by no other", async () => {
    const shared = await startShared(asking);
    const { world, host } = shared;
    await shared.claim("two");
    const clear = async (session: string, next: string) => {
      await host.tell(session, "SessionEnd", { reason: "clear" });
      await host.start(next, "clear");
    };
    await clear("two", "two-after");
    expect(await shared.events("context-action-observed")).toEqual([]);
    await clear("one", "one-after");
    expect(await shared.events("context-action-observed")).toMatchObject([{ token: "build/t1/implement#1@1" }]);
    expect(await world.agent("one-after").ok("next")).toMatchObject({
      token: "build/t1/implement#1@1",
      instructions: expect.stringMatching(/Title 1/),
    });
  });

  it("is due again for a session that takes the task over, if it has worked on the run", async () => {
    const shared = await startShared(asking);
    const { world } = shared;
    await world.agent("one").ok("next");
    await shared.claim("two");
    await world.person().ok("release", { task: "t1" });
    await world.person().ok("release", { task: "t2" });
    expect(await world.agent("two").ok("next", { task: "t1" })).toMatchObject({ contextAction: "/clear" });
    expect(await world.agent("new").ok("next", { task: "t2" })).toMatchObject({ task: { id: "t2" } });
  });
});

describe("files that a session writes", () => {
  const noting = sharedLoop.replace("type: loop,", "type: loop, artefacts: true,");

  it("are noted while it has a task, and not without one", async () => {
    const shared = await startShared(noting);
    const { world, host } = shared;
    const write = (session: string, path: string, cwd = world.project) =>
      host.tell(session, "PostToolUse", { paths: [join(cwd, path)], cwd });
    await shared.claim("two");
    await host.start("stranger", "startup");
    await write("stranger", "of-nobody.ts");
    await write("two", "src/mast.ts");
    await write("one", "src/keel.ts");
    expect(await shared.events("artefacts-registered")).toMatchObject([
      { paths: ["src/mast.ts"] },
      { paths: ["src/keel.ts"] },
    ]);
  });

  it("are noted by their path in the worktree of its task", async () => {
    const shared = await startShared(noting);
    const { world, host, runId } = shared;
    world.commit();
    const side = world.worktree("side");
    await world.agent("two", side).ok("next", { run: runId });
    await host.tell("two", "PostToolUse", { paths: [join(side, "src/mast.ts")], cwd: side });
    expect(await shared.events("artefacts-registered")).toMatchObject([{ paths: ["src/mast.ts"] }]);
  });
});

describe("when a session ends", () => {
  it.each([
    ["claude", "prompt_input_exit", true],
    ["claude", "logout", true],
    ["claude", "other", false],
    ["claude", "clear", false],
    ["codex", "other", false],
    ["copilot", "user_exit", false],
    ["opencode", "other", true],
  ])("of %s with the reason %s, whether its task is free again: %s", async (host, reason, isFree) => {
    const shared = await startShared();
    await createHosts(shared.world)(host).tell("one", "SessionEnd", { reason });
    expect(await shared.token("t1")).toBe(isFree ? "build/t1/implement#1" : "build/t1/implement#1@1");
  });

  it("for good, its tasks of every run are free again", async () => {
    const shared = await startShared();
    const { world } = shared;
    const one = world.agent("one");
    const { runId } = await one.ok("start", { workflow: "shared", another: true });
    await one.ok("advance", { run: runId, output: "The plan" });
    await one.ok("tasks", { run: runId, loop: "build", tasks: [{ id: "x", title: "X" }] });
    await shared.host.tell("one", "SessionEnd", { reason: "logout" });
    expect(await shared.token("t1")).toBe("build/t1/implement#1");
    expect(await world.person().ok("status", { run: runId })).toMatchObject({
      openTasks: [{ id: "x", state: "free" }],
    });
  });

  it("with a clear, the next one goes on with its tasks", async () => {
    const shared = await startShared();
    await shared.claim("two");
    await shared.host.tell("one", "SessionEnd", { reason: "clear" });
    const { context = "" } = await shared.host.start("next", "clear");
    expect(tasksIn(context)).toEqual([1]);
    expect(context).toContain("build/t1/implement#1@1");
  });
});

describe("a subagent of one that hands its tasks to several", () => {
  const brief = (token: string) =>
    `${JSON.stringify({ type: "user", message: { role: "user", content: `Do it. Token: ${token}` } })}\n`;

  async function delegated() {
    const shared = await startShared();
    for (const task of ["t2", "t3"]) await shared.claim("one", task);
    const transcript = shared.world.write("home/one.jsonl", "");
    for (const task of ["t1", "t2", "t3"]) {
      shared.world.write(`home/one/subagents/agent-${task}.jsonl`, brief(await shared.token(task)));
    }
    return { ...shared, transcript };
  }

  it("goes on with its own after a compaction, also at the next sub-step", async () => {
    const shared = await delegated();
    const { host, transcript } = shared;
    await shared.advance("one", "t2", "Output 2");
    for (const [agent, work] of [
      ["t1", "Implement Title 1"],
      ["t2", "Verify Title 2"],
      ["t3", "Implement Title 3"],
    ] as const) {
      const { context = "" } = await host.start("one", "compact", { agent, transcript });
      expect(tasksIn(context)).toEqual([Number(agent.slice(1))]);
      expect(context).toContain(`  | ${work}`);
      expect(context).toContain(`token ${await shared.token(agent)}`);
    }
  });

  it("gets no task where nobody can tell which is its own", async () => {
    const shared = await delegated();
    const { host, world, transcript } = shared;
    world.write("home/one/subagents/agent-both.jsonl", brief("build/t1/implement#1@1 or build/t3/implement#1@3"));
    world.write("home/one/subagents/agent-none.jsonl", brief("none"));
    for (const agent of ["both", "none", "unknown", "../../other"]) {
      const { context = "" } = await host.start("one", "compact", { agent, transcript });
      expect(context).toBe(
        "Holdfast: you are a subagent. Go on with the task you were given; the workflow of this project is the main agent's.",
      );
    }
  });
});

describe("the status line", () => {
  it("shows the session's own task, how many it has, or that it has none", async () => {
    const shared = await startShared();
    await shared.claim("two");
    expect(await lineOf(shared, "two")).toBe("shared · step 2/3 build · task 2/5");
    await shared.claim("two", "t3");
    expect(await lineOf(shared, "two")).toBe("shared · step 2/3 build · 2 tasks");
    await shared.host.tell("one", "SessionEnd", { reason: "logout" });
    expect(await lineOf(shared, "one")).toBe("shared · step 2/3 build · no task");
  });
});

describe("the state card", () => {
  const cardOf = ({ world, runId }: SharedRun) => {
    const cards = createCardFolder(world.project).list("2026-02-01T00:00:00.000Z").cards;
    return cards.find(({ card }) => card.run_id === runId)?.card;
  };

  it("shows the loop as its phase, and who has which task", async () => {
    const shared = await startShared();
    await shared.claim("a-session-with-a-long-id", "t3");
    await shared.advance("one", "t1", "Output 1");
    await shared.advance("one", "t1", "Checked");
    expect(cardOf(shared)).toMatchObject({
      phase: { current: 2, total: 3, name: "build", status: "in_progress" },
      context: {
        open_tasks: ["t1 · verify · waits for a person", "t2 · implement · free", "t3 · implement · taken by a-sessio"],
      },
    });
  });

  it("is nobody's edit, brings nobody another's task, and loses the list after the loop", async () => {
    const shared = await startShared(sharedLoop.replace(", gate: [{ approval: human }]", ""));
    await shared.claim("two");
    const context = await compact(shared, "one");
    expect(tasksIn(context)).toEqual([1]);
    await shared.claim("two", "t3");
    await compact(shared, "one", 60_000);
    expect(await shared.events("card-edited")).toEqual([]);
    expect(cardOf(shared)?.context).toHaveProperty("open_tasks");
    await shared.world.person().ok("goto", { step: "ship", reason: "enough" });
    expect(cardOf(shared)?.context).toEqual({});
  });

  it("keeps what somebody else has written under the name of the list", async () => {
    const shared = await startShared(sharedLoop.replace("parallel: 3", "when: 'true'"));
    const file = createCardFolder(shared.world.project).list("2026-02-01T00:00:00.000Z").cards[0]?.file ?? "";
    const card = JSON.parse(readFileSync(file, "utf8"));
    expect(card.context).toEqual({});
    writeFileSync(file, JSON.stringify({ ...card, context: { open_tasks: ["Ask Ann"] } }));
    expect(await compact(shared, "one")).toContain("Ask Ann");
    expect(await shared.events("card-edited")).toHaveLength(1);
  });
});

it("a session that comes new to the project is offered the run in one line, and no task", async () => {
  const shared = await startShared();
  const reply = await shared.host.start("another", "startup");
  expect([shownBy(reply), tasksIn(reply.context ?? "")]).toEqual(["line", []]);
});
