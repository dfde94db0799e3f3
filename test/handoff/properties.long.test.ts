import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildHandoff, type HandoffFrame } from "../../src/handoff/build.ts";
import type { HandoffFacts } from "../../src/handoff/facts.ts";
import { compactionInstructions, holdText, offerText } from "../../src/handoff/short-texts.ts";
import { cases } from "../dose.ts";
import { anyFacts } from "./facts.ts";

const file = ".holdfast/runs/feature-20261114_143052-k3f9/handoff.md";
const frame = { id: "0a1b2c3d-7", reason: "compact", file };
const claude: HandoffFrame = { ...frame, limit: 9_000, unit: "characters" };
const codex: HandoffFrame = { ...frame, limit: 2_400, unit: "tokens" };

/** As the host itself counts, in bytes. */
const codexTokens = (text: string) => Buffer.byteLength(text) / 4;

describe.each([
  { name: "Claude Code", built: claude, size: (text: string) => text.length / 10_000 },
  { name: "Codex", built: codex, size: (text: string) => codexTokens(text) / 2_500 },
])("whatever stands in state, a handoff for $name", ({ built, size }) => {
  const check = (holds: (handoff: string, facts: HandoffFacts) => void) =>
    fc.assert(
      fc.property(anyFacts, (facts) => {
        holds(buildHandoff(facts, built), facts);
      }),
      cases({ quick: 6, long: 100, soak: 2_000 }),
    );

  it("is never longer than the host lets through", () => {
    check((handoff) => expect(size(handoff)).toBeLessThanOrEqual(1));
  });

  it("has one frame around all of it, and no sign that is not to be seen", () => {
    check((handoff) => {
      expect(handoff.match(/<\s*holdfast/gi)).toEqual(["<holdfast"]);
      expect(handoff.match(/<\s*\/\s*holdfast/gi)).toEqual(["</holdfast"]);
      expect(handoff.endsWith("\n</holdfast>\n")).toBe(true);
      expect(handoff).not.toMatch(/<\s*\/?\s*system/i);
      expect(handoff.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    });
  });

  it("names the run, the step and the visit", () => {
    check((handoff, { runId, here }) => {
      if (runId !== null) expect(handoff).toContain(`run ${runId}`);
      if (here !== null) expect(handoff).toContain(`step ${here.number}/${here.total} ${here.step}`);
      if (here !== null) expect(handoff).toContain(`visit ${here.token}`);
    });
  });

  it("lists what must be read, and says how many more there are", () => {
    check((handoff, { requiredReading }) => {
      if (requiredReading.length === 0) return;
      const [, section = ""] = handoff.split("REQUIRED READING\n");
      const lines = section.split("\n\n", 1)[0]?.split("\n") ?? [];
      const more = Number(/and (\d+) more/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
      expect(lines.length - (more > 0 ? 1 : 0) + more).toBe(requiredReading.length);
    });
  });

  it("is the same text for the same state", () => {
    check((handoff, facts) => expect(buildHandoff(structuredClone(facts), built)).toBe(handoff));
  });
});

describe("whatever stands in state", () => {
  it("a handoff keeps to any limit that a project sets", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 1_000, max: 10_000 }), (facts, limit) => {
        const handoff = buildHandoff(facts, { ...claude, limit });
        expect(handoff.length).toBeLessThanOrEqual(limit);
        expect(handoff.startsWith("<holdfast ")).toBe(true);
        expect(handoff.endsWith("\n</holdfast>\n")).toBe(true);
      }),
      cases({ quick: 6, long: 100, soak: 2_000 }),
    );
  });

  it("the short texts are short, in one voice, and close no frame", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        for (const short of [
          offerText(facts, "fresh"),
          offerText(facts, "old"),
          compactionInstructions(facts),
          holdText(facts),
        ]) {
          expect(short.length).toBeLessThanOrEqual(10_000);
          expect(short).not.toMatch(/<\s*\/?\s*(?:holdfast|system)/i);
          expect(short.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        }
        expect(offerText(facts, "fresh")).not.toContain("\n");
        expect(holdText(facts)).not.toContain("\n");
      }),
      cases({ quick: 6, long: 100, soak: 2_000 }),
    );
  });
});
