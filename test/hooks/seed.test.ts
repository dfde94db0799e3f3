import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "../cli/program.ts";
import { cardOf } from "./run-project.ts";
import { card, expectToldWhole, feature, local, plan, preCompact, restore } from "./seed-cards.ts";

describe("workflow detection", () => {
  it("finds the markers in CLAUDE.local.md", async () => {
    const project = createProject();
    project.write("CLAUDE.local.md", local);
    const { code, stdout } = await preCompact(project);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "Workflow: Page Orchestration - Case Studies (custom) · phase 4/10 SEO Generation (in_progress)",
    );
    const { path, value } = cardOf(project);
    expect(path).toMatch(
      /^untracked\/workflow-state\/page-orchestration-case-studies\/state-page-orchestration-case-studies-\d{8}_\d{6}\.json$/,
    );
    expect(value).toMatchObject({
      workflow: "Page Orchestration - Case Studies",
      workflow_type: "custom",
      phase: { current: 4, total: 10, name: "SEO Generation", status: "in_progress" },
      required_reading: ["@CLAUDE/PageOrchestration.md", "@CLAUDE/Sitemap/case-studies.md"],
    });
  });

  it("finds an active plan, and the plan itself is to be read", async () => {
    const project = createProject();
    project.write("CLAUDE/Plan/066-user-auth/PLAN.md", plan);
    await preCompact(project);
    expect(cardOf(project).value).toMatchObject({
      workflow: "User Auth",
      phase: { current: 2, total: 5, name: "Build Components" },
      required_reading: ["@CLAUDE/Plan/066-user-auth/PLAN.md", "@CLAUDE/PlanWorkflow.md"],
      context: { plan_number: 66 },
    });
  });
});

describe("the life of a state file", () => {
  it("goes from the start over phases and compactions to its deletion", async () => {
    const project = createProject();
    project.write("CLAUDE.local.md", local);
    await preCompact(project);
    const { path, value } = cardOf(project);
    expect(await restore(project)).toContain(
      "Workflow: Page Orchestration - Case Studies (custom) · phase 4/10 SEO Generation",
    );
    for (const [current, name] of [
      [5, "Images"],
      [6, "Review"],
      [7, "Release"],
    ]) {
      project.write("CLAUDE.local.md", local.replace("4/10 - SEO Generation", `${current}/10 - ${name}`));
      await preCompact(project);
      const handoff = await restore(project);
      expect(handoff).toContain(`CONTINUE HERE   phase ${current}/10 ${name} (in_progress)`);
      expect(handoff).toContain(
        "REQUIRED READING\n  @CLAUDE/PageOrchestration.md (missing)\n  @CLAUDE/Sitemap/case-studies.md (missing)",
      );
      expect(handoff).toContain(`Say: "✅ Workflow restored: Page Orchestration - Case Studies, Phase ${current}/10".`);
    }
    const last = cardOf(project);
    expect([last.path, last.value.created_at]).toEqual([path, value.created_at]);
    expect(last.value.updated_at > value.updated_at).toBe(true);
    project.write("CLAUDE.local.md", "# Notes\n");
    const done = await project.holdfast(["track", "complete"]);
    expect(done.code).toBe(0);
    expect(existsSync(join(project.root, "untracked/workflow-state/page-orchestration-case-studies"))).toBe(false);
    expect(await restore(project)).toBe("");
  });
});

describe("several workflows at once", () => {
  it("are never blended: a card that someone keeps comes before CLAUDE.local.md, and that before plans", async () => {
    const project = createProject();
    project.write("CLAUDE/Plan/066-user-auth/PLAN.md", plan);
    project.write("CLAUDE.local.md", local);
    await preCompact(project);
    expect(cardOf(project).value).toMatchObject({ workflow: "Page Orchestration - Case Studies", context: {} });
    card(project, "feature-implementation-user-auth", "20251209_143052", feature);
    const { stdout } = await preCompact(project);
    expect(stdout).toContain("Workflow: Feature Implementation (User Auth) (implementation)");
  });
});

describe("a workflow without a run", () => {
  it.each(["clear"])("that is only a text so far is told whole after %s", expectToldWhole);
});
