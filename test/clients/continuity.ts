import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { type ClaudeOptions, type ClaudeSession, openClaude } from "./claude.ts";
import { type ClaudeModel, startClaudeModel } from "./claude-model.ts";
import { type ClaudeRequest, claudeText, isCompaction } from "./claude-request.ts";
import type { Reply } from "./reply.ts";

/** A project as a user has it after `npm install holdfast` and `holdfast init`. */
export async function installedProject(hosts: string): Promise<Project> {
  const project = createProject();
  project.write("package.json", "{}\n");
  project.write("node_modules/.keep", "");
  symlinkSync(join(dirname(program), "../.."), join(project.root, "node_modules/holdfast"));
  const { code, stderr } = await project.holdfast(["init", "--host", hosts, "--yes"]);
  if (code !== 0) throw new Error(stderr);
  return project;
}

/** Claude Code in that project, where everything of Holdfast is allowed. */
export function openInstalled(
  project: Project,
  model: ClaudeModel,
  more: Omit<ClaudeOptions, "project" | "model"> = {},
): Promise<ClaudeSession> {
  const mcpConfig = join(project.root, ".mcp.json");
  return openClaude({ project, model, mcpConfig, allowedTools: ["mcp__holdfast__*"], ...more });
}

/** A model that says what the test has laid out for it, in order; a compaction gets a summary that knows nothing. */
export interface PlannedModel extends ClaudeModel {
  plan(...replies: readonly Reply[]): void;
  /** What was asked since the last look, compactions left aside. */
  asked(): readonly ClaudeRequest[];
  compactions(): readonly ClaudeRequest[];
}

/** A subagent, whose requests are none of the main agent's. */
export interface PlannedSubagent {
  isMine(request: ClaudeRequest): boolean;
  reply(): Reply;
}

export async function startPlannedModel(subagent?: PlannedSubagent): Promise<PlannedModel> {
  const planned: Reply[] = [];
  const isSubagents = (request: ClaudeRequest) => subagent?.isMine(request) === true;
  const model = await startClaudeModel((request) => {
    if (isCompaction(request)) return { text: `<summary>${isSubagents(request) ? subtask : "We talked"}.</summary>` };
    if (subagent !== undefined && isSubagents(request)) return subagent.reply();
    return planned.shift() ?? { text: "Understood." };
  });
  let seen = 0;
  return {
    ...model,
    plan: (...replies) => planned.push(...replies),
    asked() {
      const fresh = model.requests.slice(seen);
      seen = model.requests.length;
      return fresh.filter((request) => !isCompaction(request) && !isSubagents(request) && request.tools.length > 0);
    },
    compactions: () => model.requests.filter(isCompaction),
  };
}

/** The word in its first message by which the requests of a subagent are known, also after its compaction. */
const subtask = "SUBTASK";

/** A subagent that reads until its context is full, goes on after the compaction, and ends. */
export function createFullSubagent(file: string) {
  let turn = 0;
  return {
    call: {
      calls: [
        {
          name: "Agent",
          input: { description: "Read", prompt: `${subtask}: read the file`, subagent_type: "general-purpose" },
        },
      ],
    },
    isMine: (request: ClaudeRequest) => JSON.stringify(request.messages[0]).includes(subtask),
    hasEnded: () => turn > 7,
    reply(): Reply {
      turn += 1;
      if (turn > 7) return { text: "The subtask is done." };
      return { calls: [{ name: "Read", input: { file_path: file } }], inputTokens: turn === 4 ? 195_000 : 1_000 };
    },
  };
}

export function call(tool: string, input: Readonly<Record<string, unknown>> = {}): Reply {
  return { calls: [{ name: `mcp__holdfast__${tool}`, input }] };
}

/** Every one of these facts is before the model, in the one handoff that this loss of context brought. */
export function expectRestored(request: ClaudeRequest | undefined, facts: readonly string[]): void {
  const handoffs = handoffsIn(request);
  const [handoff = ""] = handoffs;
  expect(facts.filter((fact) => !handoff.includes(fact))).toEqual([]);
  expect(handoffs).toHaveLength(1);
}

/** The handoffs of the latest loss of context in a request. */
export function handoffsIn(request: ClaudeRequest | undefined): readonly string[] {
  return request === undefined ? [] : latestHandoffs(claudeText(request));
}

/** The same in all that a model of any host was given. */
export function latestHandoffs(text: string): readonly string[] {
  const all = [...text.matchAll(/<holdfast run=[^>]* id="([^"]*)">[\s\S]*?<\/holdfast>/g)];
  const latest = all.at(-1)?.[1];
  return all.filter(([, id]) => id === latest).map(([handoff]) => handoff);
}
