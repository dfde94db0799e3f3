import { describe, expect, it } from "vitest";
import type { HookReply } from "../../../../src/app/continuity/ports/ports.ts";
import { followConversation } from "../../../../src/sessions/conversation.ts";
import { makeWorld, type World } from "../../world.ts";
import { createHosts, type HostProcess, shownBy, twoSteps } from "../hook-ports.ts";

interface Compacted {
  readonly world: World;
  readonly host: HostProcess;
  /** Another program on the same machine. */
  readonly another: HostProcess;
  readonly runId: string;
  /** The id of the handoff that the compaction brought. */
  readonly id: string;
}

/** A session in a run, right after a compaction and the handoff that came with it. */
async function compacted(): Promise<Compacted> {
  const world = makeWorld();
  world.workflow("feature", twoSteps);
  const { runId } = await world.agent("mine").ok("start", { workflow: "feature" });
  const hosts = createHosts(world);
  const host = hosts();
  await host.tell("mine", "PreCompact", { trigger: "auto" });
  const id = idIn(await host.start("mine", "compact"));
  return { world, host, another: hosts(), runId, id };
}

function idIn({ context = "" }: HookReply): string {
  return /^<holdfast [^>]* id="([^"]+)">/.exec(context)?.[1] ?? "";
}

/** A line of a transcript, as the host writes it; the world's clock stands at the last minute of the month. */
const line = (text: string, at: string, type = "user") =>
  `${JSON.stringify({ type, message: { content: text }, timestamp: at })}\n`;
const before = "2026-01-30T23:59:00.000Z";
const after = "2026-01-31T00:00:09.000Z";

describe("the handoff for a compaction is brought again", () => {
  it("when the transcript has gone on without it", async () => {
    const { world, host, id } = await compacted();
    const transcript = world.write("transcript.jsonl", line("We talked.", before) + line("Go on", after));
    const again = await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 });
    expect(shownBy(again)).toBe("full");
    expect(idIn(again)).toBe(id);
  });

  it("when a hook is seen to have said it and the model was not told", async () => {
    const { world, host, id } = await compacted();
    const said = line(`<holdfast id="${id}">`, after, "hook_success");
    const transcript = world.write("transcript.jsonl", said + line("Go on", after));
    expect(shownBy(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 }))).toBe("full");
  });

  it("when only that of a later loss is in the transcript, whose id begins with the same signs", async () => {
    const { world, host, id } = await compacted();
    const transcript = world.write("transcript.jsonl", line(`<holdfast id="${id}2">`, after));
    expect(shownBy(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 }))).toBe("full");
  });

  it("at once when no session start came after the compaction", async () => {
    const world = makeWorld();
    world.workflow("feature", twoSteps);
    await world.agent("mine").ok("start", { workflow: "feature" });
    const host = createHosts(world)();
    await host.tell("mine", "PreCompact", { trigger: "auto" });
    expect(shownBy(await host.tell("mine", "UserPromptSubmit"))).toBe("full");
  });

  it("in the middle of a turn, with the next tool that writes a file", async () => {
    const { world, host } = await compacted();
    const transcript = world.write("transcript.jsonl", line("Go on", after));
    expect(shownBy(await host.tell("mine", "PostToolUse", { transcript, paths: ["a.md"], afterMs: 20_000 }))).toBe(
      "full",
    );
  });

  it("once only, whichever hook is asked and however often", async () => {
    const { world, host } = await compacted();
    const transcript = world.write("transcript.jsonl", line("Go on", after));
    const shown = [];
    for (const via of ["project", "plugin", "project", "plugin"]) {
      shown.push(shownBy(await host.tell("mine", "UserPromptSubmit", { transcript, via, afterMs: 20_000 })));
    }
    expect(shown).toEqual(["full", "nothing", "nothing", "nothing"]);
  });

  it("for the next compaction too", async () => {
    const { world, host, id } = await compacted();
    const transcript = world.write("transcript.jsonl", line("Go on", after));
    await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 });
    await host.tell("mine", "PreCompact", { trigger: "auto", afterMs: 30_000 });
    const next = await host.start("mine", "compact", { afterMs: 31_000 });
    expect(idIn(next)).not.toBe(id);
    world.write("transcript.jsonl", line("And on", "2026-01-31T00:00:59.000Z"));
    const again = await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 60_000 });
    expect(idIn(again)).toBe(idIn(next));
  });
});

describe("the handoff is not brought again", () => {
  it.each([
    {
      name: "its id is in the transcript",
      text: (id: string) => line(`<holdfast id="${id}">`, after) + line("Go on", after),
    },
    { name: "the transcript is older than it", text: () => line("We talked.", before) },
    { name: "the transcript is empty", text: () => "" },
    { name: "the transcript is no text", text: () => "\0\u0001{{{\n" },
  ])("when $name", async ({ text }) => {
    const { world, host, id } = await compacted();
    const transcript = world.write("transcript.jsonl", text(id));
    expect(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 })).toEqual({});
  });

  it("when there is no transcript", async () => {
    const { world, host } = await compacted();
    for (const transcript of [null, world.path("nowhere.jsonl"), world.project, "a\0b"]) {
      expect(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 })).toEqual({});
    }
  });

  it("once it was seen in a transcript, whatever the transcript says later", async () => {
    const { world, host, id } = await compacted();
    const transcript = world.write("transcript.jsonl", line(`<holdfast id="${id}">`, after));
    await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 });
    world.write("transcript.jsonl", line("Go on", after));
    expect(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 40_000 })).toEqual({});
  });

  it("once the agent has asked for its run", async () => {
    const { world, host } = await compacted();
    const { sessions, now } = world.person().deps;
    followConversation(sessions, { HOLDFAST_SESSION: "mine" }, now).heard("mine");
    const transcript = world.write("transcript.jsonl", line("Go on", after));
    expect(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 })).toEqual({});
  });

  it("once the run has ended", async () => {
    const { world, host, runId } = await compacted();
    await world.person().ok("abort", { run: runId, reason: "not needed" });
    const transcript = world.write("transcript.jsonl", line("Go on", after));
    expect(await host.tell("mine", "UserPromptSubmit", { transcript, afterMs: 20_000 })).toEqual({});
  });
});

describe("where two hooks are installed", () => {
  const compactions = async (world: World, runId: string) =>
    (await world.person().events(runId)).filter(({ type }) => type === "compaction-began").length;

  it("each compaction is told of once, saved once and made good once", async () => {
    const { world, host, runId } = await compacted();
    expect(await host.tell("mine", "PreCompact", { trigger: "auto", via: "plugin", afterMs: 500 })).toEqual({});
    expect(await host.start("mine", "compact", { via: "plugin", afterMs: 700 })).toEqual({});
    expect(await compactions(world, runId)).toBe(1);
  });

  it("two compactions within a second are two", async () => {
    const { world, host, runId, id } = await compacted();
    for (const via of ["plugin", "project", "plugin"]) {
      await host.tell("mine", "PreCompact", { trigger: "manual", via, afterMs: 300 });
    }
    const next = await host.start("mine", "compact", { afterMs: 800 });
    expect(shownBy(next)).toBe("full");
    expect(idIn(next)).not.toBe(id);
    expect(await compactions(world, runId)).toBe(2);
  });
});
