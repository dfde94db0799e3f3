import { describe, expect, test } from "vitest";
import { openClaude } from "./claude.ts";
import type { ClaudeScript } from "./claude-answers.ts";
import { startClaudeModel } from "./claude-model.ts";
import { createDriven, diligent } from "./driven-claude.ts";
import { claudeVersions } from "./programs.ts";

const workflow = `
steps:
  - { id: plan, type: action, instructions: "Plan the hull" }
  - { id: build, type: action, context: compact, instructions: "Build what was planned" }
  - { id: paint, type: action, instructions: "Paint it" }
  - { id: ship, type: action, context: clear, instructions: "Ship the boat" }
  - { id: sell, type: action, context: compact, instructions: "Sell the boat" }
`;

/** Every reply of the scripted model writes as many. */
const written = 10;
/** Every model of Anthropic asks for five times as much for a token that it writes. */
const priceOfWriting = 5;

/** The same script, with another number of tokens in each reply. `replies` has what was read for each. */
function createMeasured(script: ClaudeScript) {
  const replies: number[] = [];
  const models = new Set<string>();
  const measured: ClaudeScript = async (request) => {
    const inputTokens = 1_000 + 37 * replies.length;
    replies.push(inputTokens);
    models.add(request.model);
    return { ...(await script(request)), inputTokens };
  };
  return {
    script: measured,
    models,
    tokens: () => replies.reduce((sum, read) => sum + read + written, 0),
    weight: () => replies.reduce((sum, read) => sum + read + priceOfWriting * written, 0),
  };
}

describe.each([claudeVersions.newest, claudeVersions.pinned])("Claude Code %s", (version) => {
  /** What a token that is read costs, by one turn of Claude Code alone. */
  async function priceOfReading(driven: Awaited<ReturnType<typeof createDriven>>): Promise<number> {
    const model = await startClaudeModel(() => ({ text: "Hello", inputTokens: 1_000 }));
    const session = await openClaude({ project: driven, model, version });
    const { events } = await session.prompt("Hello");
    await session.close();
    return Number(events.at(-1)?.total_cost_usd) / (1_000 + priceOfWriting * written);
  }

  test.each<[string, readonly string[], number]>([
    ["over compactions and clears", [], 0],
    ["up to a limit that ends it", ["--max-turns=1"], 4],
  ])("tokens and cost are what the provider has counted, %s", async (_, words, expectedCode) => {
    const measured = createMeasured(diligent);
    const driven = await createDriven(workflow, measured.script, version);
    const { code, stdout } = await driven.run(["--json", ...words]);
    expect({ code, stdout: code === expectedCode ? "" : stdout }).toEqual({ code: expectedCode, stdout: "" });
    expect(measured.models.size).toBe(1);

    const cost = (await priceOfReading(driven)) * measured.weight();
    expect(cost).toBeGreaterThan(0);
    const { value } = await driven.json(["report"]);
    expect(value.total).toMatchObject({ tokens: measured.tokens(), cost: expect.closeTo(cost, 8) });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const usage = lines.findLast(({ type }) => type === "usage");
    expect(usage).toMatchObject({ tokens: measured.tokens(), cost: expect.closeTo(cost, 8) });
  });
});
