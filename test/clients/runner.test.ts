import { mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProject, type Ended, type Project } from "../cli/program.ts";
import { apiEnvironment } from "./claude.ts";
import { type ClaudeModel, type ClaudeScript, type Rejection, startClaudeModel } from "./claude-model.ts";
import { type ClaudeRequest, claudeText, claudeToolResults, isCompaction, lastUserText } from "./claude-request.ts";
import { claudeProgram, claudeVersions } from "./programs.ts";
import type { Reply } from "./reply.ts";

const advance = (input: Readonly<Record<string, unknown>>): Reply => ({
  calls: [{ name: "mcp__holdfast__workflow_advance", input }],
});

/** Whether the agent has sent its result, and is to end its turn. */
function isRecorded(request: ClaudeRequest): boolean {
  return lastUserText(request).includes("recorded; end your turn now");
}

/** An agent that does what it is asked, in one call. */
const diligent: ClaudeScript = (request) => {
  if (isCompaction(request)) return { text: "SUMMARY of the work so far" };
  if (claudeToolResults(request).some((text) => !text.includes("recorded"))) throw new Error(lastUserText(request));
  return isRecorded(request) ? { text: "Ended." } : advance({ output: "It is done" });
};

/** What a scripted reply says that it has used: 1,000 to read, 10 to write. */
const tokensOfReply = 1_010;
const noCredit = "Your credit balance is too low to access the Anthropic API.";

function rejection(status: number, type: string, message: string): Rejection {
  return { status, error: { type, message } };
}

interface Driven extends Project {
  readonly model: ClaudeModel;
  run(words?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  events(): { type: string; [field: string]: unknown }[];
}

async function createDriven(workflow: string, script: ClaudeScript, version: string): Promise<Driven> {
  const project = createProject();
  project.write(".holdfast/workflows/boat.yaml", `name: boat\ndescription: Builds a boat\n${workflow}`);
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  const model = await startClaudeModel(script);
  const folder = dirname(await claudeProgram(version));
  mkdirSync(join(project.home, "tmp"));
  const env = {
    ...apiEnvironment(model),
    PATH: `${folder}${delimiter}${project.env.PATH}`,
    XDG_CONFIG_HOME: join(project.home, ".config"),
    CLAUDE_CODE_MAX_RETRIES: "0",
    TMPDIR: join(project.home, "tmp"),
  };
  return {
    ...project,
    model,
    run: (words = [], more = {}) =>
      project.bundled(["run", "boat", "Build it", "--agent", "claude", "--yes", ...words], {
        env: { ...env, ...more },
      }),
    events: () =>
      project
        .journal()
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line).events),
  };
}

const threeSteps = `
steps:
  - { id: plan, type: action, instructions: "Plan the hull" }
  - { id: build, type: action, context: compact, instructions: "Build what was planned" }
  - { id: ship, type: action, context: clear, instructions: "Ship the boat" }
`;

describe.each([claudeVersions.newest, claudeVersions.pinned])("Claude Code %s", (version) => {
  test("is driven through a workflow, with context actions that are proved", async () => {
    const driven = await createDriven(threeSteps, diligent, version);
    const { code, stdout, stderr } = await driven.run();
    expect(stdout).toContain(version);
    expect({ code, stderr, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stderr: "", stdout: "" });
    const types = driven.events().map(({ type }) => type);
    expect(types.filter((type) => type === "visit-ended")).toHaveLength(3);
    expect(types.filter((type) => type === "context-action-observed")).toHaveLength(2);
    const last = driven.model.requests.filter((request) => lastUserText(request).includes("Ship the boat"));
    expect(last.length).toBeGreaterThan(0);
    for (const request of last) expect(claudeText(request)).not.toContain("Plan the hull");
    const used = driven.events().flatMap(({ tokens }) => (typeof tokens === "number" ? [tokens] : []));
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBe(driven.model.requests.length * tokensOfReply);
  });

  test.each<[string, ReturnType<ClaudeScript>, string]>([
    ["a key that is not valid", rejection(401, "authentication_error", "invalid x-api-key"), "key"],
    ["an account without credit", rejection(400, "invalid_request_error", noCredit), "quota"],
    ["a limit without an end", rejection(429, "rate_limit_error", "slow down"), "limit"],
    ["a refusal", { text: "I cannot", refuses: true }, "refused"],
    ["an answer without a word", {}, "empty"],
  ])("parks the run at %s", async (_, answer, why) => {
    const driven = await createDriven(threeSteps, () => answer, version);
    const { code, stdout } = await driven.run();
    expect({ code, stdout: code === 4 ? "" : stdout }).toEqual({ code: 4, stdout: "" });
    expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why }));
    expect(driven.events().map(({ type }) => type)).not.toContain("visit-ended");
  });

  test("parks the run until the end of a usage limit of a subscription", async () => {
    const reset = Math.floor(Date.now() / 1_000) + 3_600;
    const limit = "anthropic-ratelimit-unified";
    const headers = {
      [`${limit}-status`]: "rejected",
      [`${limit}-reset`]: String(reset),
      [`${limit}-representative-claim`]: "five_hour",
    };
    const script = () => ({ ...rejection(429, "rate_limit_error", "This would exceed your limit."), headers });
    const driven = await createDriven(threeSteps, script, version);
    const subscription = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" };
    const { code } = await driven.run(["--no-wait"], subscription);
    expect(code).toBe(4);
    const until = new Date(reset * 1_000).toISOString();
    expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why: "limit", until }));
  });

  // The older one tells of denials only with its answer.
  test.runIf(version === claudeVersions.newest)(
    "parks the run when the agent is denied the same thing again and again, and says how to allow it",
    async () => {
      const denied = { calls: [{ name: "Bash", input: { command: "node -e 1", description: "x" } }] };
      const script: ClaudeScript = () => denied;
      const driven = await createDriven(threeSteps, script, version);
      const { code, stdout } = await driven.run();
      expect(code).toBe(4);
      expect(stdout).toContain('"Bash(node -e 1)"');
      expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why: "denied" }));
    },
  );
});
