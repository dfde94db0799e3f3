import { describe, expect, it } from "vitest";
import type { HookReply } from "../../../../src/app/continuity/ports/ports.ts";
import { agents, carded, cardsIn, compact, edit, read } from "../carded.ts";
import { createHosts, shownBy } from "../hook-ports.ts";

describe("what an agent has written into its card", () => {
  it("survives a hundred compactions, phase changes among them, and is in every handoff", async () => {
    const { world, host, file } = await carded();
    const { created_at } = read(world, file);
    edit(world, file, agents);
    for (let count = 1; count <= 100; count++) {
      if (count === 50) await world.agent("mine").ok("advance", { output: "A plan" });
      const handoff = await compact(host, count * 10_000);
      expect(handoff).toContain("  @docs/agent.md (missing)\n  @docs/plain.md (missing)\n");
      expect(handoff).toContain("  - Written by the agent\n");
      expect(handoff).toContain(`step ${count < 50 ? "1/2 plan" : "2/2 build"} · visit`);
    }
    expect(cardsIn(world, "feature")).toEqual([file]);
    const card = read(world, file);
    expect(card).toMatchObject({
      phase: { current: 2, total: 2, name: "build", status: "in_progress" },
      required_reading: ["@docs/guide.md", "@docs/agent.md", "@docs/plain.md"],
      key_reminders: ["Run the tests", "Written by the agent"],
      context: { plan_number: 66, nested: { deep: [1, 2] } },
      mood: { calm: true },
      created_at,
    });
    expect(card.updated_at > created_at).toBe(true);
  });
});

function idIn({ context = "" }: HookReply): string {
  return /^<holdfast [^>]* id="([^"]+)">/.exec(context)?.[1] ?? "";
}

describe("a session that goes on for hundreds of turns", () => {
  it("is still known to be alive, and its losses are still counted on", async () => {
    const { world } = await carded();
    const hosts = createHosts(world);
    const [host, another] = [hosts(), hosts()];
    await host.tell("mine", "PreCompact", { trigger: "auto" });
    const id = idIn(await host.start("mine", "compact"));
    for (let turn = 1; turn <= 400; turn++) await host.tell("mine", "Stop", { afterMs: turn * 100 });
    expect(shownBy(await another.start("another", "resume", { afterMs: 60_000 }))).toBe("line");
    await host.tell("mine", "PreCompact", { trigger: "auto", afterMs: 90_000 });
    const next = idIn(await host.start("mine", "compact", { afterMs: 91_000 }));
    expect(Number(next.split("-")[1])).toBe(Number(id.split("-")[1]) + 1);
  });
});
