import { describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../world.ts";
import { createHosts, type HostProcess } from "../hook-ports.ts";

const held = `
hold: true
steps:
  - { id: plan, type: action, instructions: "Plan it", artefacts: true, budget: { turns: 10 } }
  - { id: build, type: action, instructions: "Build it", context: compact }
  - { id: ship, type: action, instructions: "Ship it", gate: [{ approval: human }] }
`;

interface Held {
  readonly world: World;
  readonly host: HostProcess;
  readonly runId: string;
}

async function started(yaml = held): Promise<Held> {
  const world = makeWorld();
  world.workflow("held", yaml);
  const { runId } = await world.agent("mine").ok("start", { workflow: "held" });
  const host = createHosts(world)();
  await host.start("mine", "startup");
  return { world, host, runId };
}

/** What the journal has of one kind. */
async function noted({ world, runId }: Held, type: string) {
  return (await world.person().events(runId)).filter((event) => event.type === type);
}

describe("when the agent stops", () => {
  it("a workflow that holds it says once in a turn what is still to do", async () => {
    const { host } = await started();
    const { block } = await host.tell("mine", "Stop");
    expect(block).toBe(
      "The workflow held is not complete: it is at step 1/3 plan (visit plan#1). Continue: call workflow_status " +
        "for the instructions, follow them, then call workflow_advance. If something blocks you, say what and stop.",
    );
    expect(await host.tell("mine", "Stop", { stopActive: true, afterMs: 1_000 })).toEqual({});
  });

  it("each turn counts once towards the budget of the step", async () => {
    const held = await started();
    for (const afterMs of [0, 20_000, 40_000]) {
      for (const via of ["project", "plugin"]) await held.host.tell("mine", "Stop", { via, afterMs });
    }
    expect((await noted(held, "usage-recorded")).length).toBe(3);
  });

  it.each([
    {
      name: "the workflow does not hold it",
      yaml: held.replace("hold: true", "hold: false"),
      session: "mine",
    },
    { name: "the session is about something else", yaml: held, session: "another" },
  ])("it may, when $name", async ({ yaml, session }) => {
    const { host } = await started(yaml);
    expect(await host.tell(session, "Stop")).toEqual({});
  });

  const waits: readonly [string, string, (held: Held) => Promise<unknown>][] = [
    [
      "a paused run",
      "you to resume it: run holdfast resume",
      ({ world, runId }) => world.person().ok("pause", { run: runId }),
    ],
    [
      "a question",
      'your answer to q1: "Which one?"',
      ({ world }) => world.agent("mine").ok("ask", { question: "Which one?" }),
    ],
    [
      "a context action",
      "you to type /compact, then say: go on",
      ({ world }) => world.agent("mine").ok("advance", { output: "A plan" }),
    ],
    [
      "a spent budget",
      "your decision, because its budget is spent: run holdfast decide continue, pivot, escalate or abandon",
      async ({ host }) => {
        for (let turn = 1; turn < 10; turn++) await host.tell("mine", "Stop", { afterMs: turn * 20_000 });
      },
    ],
    [
      "an approval",
      'your approval of the step ship: run holdfast approve, or holdfast reject --reason "..."',
      async ({ world }) => {
        const agent = world.agent("mine");
        await agent.ok("advance", { output: "A plan" });
        await agent.ok("next");
        await agent.ok("advance", { output: "Built" });
        await agent.no("advance", { output: "Shipped" });
      },
    ],
  ];

  it.each(waits)(
    "%s is not fought: it may stop, and the person learns what the run waits for",
    async (_what, wait, arrange) => {
      for (const hold of [true, false]) {
        const one = await started(held.replace("hold: true", `hold: ${hold}`));
        await arrange(one);
        const notice = `Holdfast: the workflow held waits for ${wait}.`;
        expect(await one.host.tell("mine", "Stop", { afterMs: 300_000 })).toEqual({ notice });
        expect(await one.host.tell("mine", "Stop", { stopActive: true, afterMs: 320_000 })).toEqual({ notice });
      }
    },
  );
});

describe("when a tool has written files", () => {
  it("those inside the project belong to a step that says so", async () => {
    const held = await started();
    const paths = ["src/a.ts", `${held.world.project}/b.md`, "/etc/passwd", "../outside.md", ""];
    expect(await held.host.tell("mine", "PostToolUse", { paths })).toEqual({});
    expect(await noted(held, "artefacts-registered")).toMatchObject([{ paths: ["src/a.ts", "b.md"] }]);
  });

  it("no step that does not, and no run of another session, takes them", async () => {
    const held = await started();
    await held.host.tell("another", "PostToolUse", { paths: ["a.md"] });
    await held.world.agent("mine").ok("advance", { output: "A plan" });
    await held.host.tell("mine", "PostToolUse", { paths: ["a.md"] });
    expect(await noted(held, "artefacts-registered")).toEqual([]);
  });
});

describe("when a compaction is over", () => {
  it("its size is noted, and a context action that asked for it is settled", async () => {
    const held = await started();
    const { world, host } = held;
    expect(await world.agent("mine").ok("advance", { output: "A plan" })).toMatchObject({ contextAction: "/compact" });
    await host.tell("mine", "PreCompact", { trigger: "manual" });
    await host.start("mine", "compact");
    await host.tell("mine", "PostCompact", { trigger: "manual", summaryLength: 1_234 });
    expect(await noted(held, "compaction-began")).toMatchObject([{ session: "mine", trigger: "manual" }]);
    expect(await noted(held, "compaction-ended")).toMatchObject([{ session: "mine", trigger: "manual", size: 1_234 }]);
    expect(await world.agent("mine").ok("next")).toMatchObject({ step: "build" });
  });
});

describe("when a session ends", () => {
  it("its reason is noted, and it can come back", async () => {
    const held = await started();
    await held.host.start("mine", "resume");
    await held.host.tell("mine", "SessionEnd", { reason: "prompt_input_exit" });
    expect(await noted(held, "session-ended")).toMatchObject([{ session: "mine", reason: "prompt_input_exit" }]);
    expect((await held.host.start("mine", "resume", { afterMs: 60_000 })).context).toContain(
      "CONTINUE HERE   step 1/3 plan",
    );
  });

  it("without a word, the next one closes it as lost", async () => {
    const world = makeWorld();
    world.workflow("held", held);
    const { runId } = await world.agent("first").ok("start", { workflow: "held" });
    const hosts = createHosts(world);
    const first = hosts();
    await first.start("first", "resume");
    first.end();
    await hosts().start("second", "resume");
    expect(await noted({ world, host: first, runId }, "session-ended")).toMatchObject([
      { session: "first", reason: "lost" },
    ]);
  });
});
