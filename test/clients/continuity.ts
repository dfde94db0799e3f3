import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
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

/** A model that says what the test has laid out for it, in order; a compaction gets a summary that knows nothing. */
export interface PlannedModel extends ClaudeModel {
  plan(...replies: readonly Reply[]): void;
  /** What was asked since the last look, compactions left aside. */
  asked(): readonly ClaudeRequest[];
  compactions(): readonly ClaudeRequest[];
}

export async function startPlannedModel(): Promise<PlannedModel> {
  const planned: Reply[] = [];
  const model = await startClaudeModel((request) => {
    if (isCompaction(request)) return { text: "<summary>We talked.</summary>" };
    return planned.shift() ?? { text: "Understood." };
  });
  let seen = 0;
  return {
    ...model,
    plan: (...replies) => planned.push(...replies),
    asked() {
      const fresh = model.requests.slice(seen);
      seen = model.requests.length;
      return fresh.filter((request) => !isCompaction(request) && request.tools.length > 0);
    },
    compactions: () => model.requests.filter(isCompaction),
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
  const text = request === undefined ? "" : claudeText(request);
  const all = [...text.matchAll(/<holdfast run=[^>]* id="([^"]*)">[\s\S]*?<\/holdfast>/g)];
  const latest = all.at(-1)?.[1];
  return all.filter(([, id]) => id === latest).map(([handoff]) => handoff);
}
