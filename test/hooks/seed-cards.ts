import { readdirSync } from "node:fs";
import { expect } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { contextOf, runHook } from "./hook-program.ts";

// The scenarios of the seed document on workflow state, on the hook as hosts start it.

export const local = `# Current Workflow State

Workflow: Page Orchestration - Case Studies
Phase: 4/10 - SEO Generation

@CLAUDE/PageOrchestration.md
@CLAUDE/Sitemap/case-studies.md
`;

export const plan = `# Plan 066: User Auth

**Status**: 🔄 In Progress

Phase: 2/5 - Build Components

@CLAUDE/PlanWorkflow.md
`;

export const preCompact = (project: Project) => runHook(project, "PreCompact", { session_id: "s1", trigger: "auto" });
export const restore = async (project: Project, source = "compact") =>
  contextOf(await runHook(project, "SessionStart", { session_id: "s1", source }));

/** A workflow that is only a text so far is told whole. */
export async function expectToldWhole(source: string): Promise<void> {
  const project = createProject();
  project.write("CLAUDE.local.md", local);
  const handoff = await restore(project, source);
  expect(handoff).toContain("CONTINUE HERE   phase 4/10 SEO Generation (in_progress)");
  expect(handoff).toContain("@CLAUDE/Sitemap/case-studies.md");
  expect(readdirSync(project.root)).toEqual(["CLAUDE.local.md"]);
}

/** A card as another tool, or an agent by hand, writes it. */
export function card(project: Project, slug: string, stamp: string, value: Readonly<Record<string, unknown>>): string {
  const path = `untracked/workflow-state/${slug}/state-${slug}-${stamp}.json`;
  project.write(path, JSON.stringify(value, null, 2));
  return path;
}

/** The seed's first example, as of a time that is not long ago. */
export const feature = {
  workflow: "Feature Implementation (User Auth)",
  workflow_type: "implementation",
  phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
  required_reading: ["@CLAUDE/PlanWorkflow.md", "@CLAUDE/Plan/001-user-auth/PLAN.md"],
  context: { plan_number: 1, feature_name: "user-auth" },
  key_reminders: ["Follow existing auth patterns"],
  created_at: new Date(Date.now() - 60_000).toISOString(),
};
