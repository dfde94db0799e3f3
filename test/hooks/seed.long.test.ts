import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "../cli/program.ts";
import { contextOf, runHook } from "./hook-program.ts";
import { cardOf, cardsOf, filesOf } from "./run-project.ts";
import { card, expectToldWhole, feature, local, plan, preCompact, restore } from "./seed-cards.ts";

describe("workflow detection", () => {
  it("finds a plan beside a pattern and a name that a backtracking matcher never gets done with", async () => {
    const project = createProject();
    const pattern = `plans/${"*a".repeat(13)}b/PLAN.md`;
    project.write(".holdfast/config.yaml", `tracked: { plans: ["${pattern}", "plans/u*r-a*h/PLAN.md"] }\n`);
    project.write(`plans/${"a".repeat(250)}/PLAN.md`, plan);
    project.write("plans/user-auth/PLAN.md", plan);
    await preCompact(project);
    expect(cardOf(project).value).toMatchObject({
      required_reading: expect.arrayContaining(["@plans/user-auth/PLAN.md"]),
    });
  });

  it.each([
    {
      name: "a plan that is complete",
      path: "CLAUDE/Plan/066-user-auth/PLAN.md",
      text: plan.replace("🔄 In Progress", "✅ Complete"),
    },
    { name: "a plan under Completed", path: "CLAUDE/Plan/Completed/PLAN.md", text: plan },
    {
      name: "a plan without a phase or a workflow",
      path: "CLAUDE/Plan/066-user-auth/PLAN.md",
      text: "# Plan\n\n**Status**: In Progress\n",
    },
    {
      name: "notes that speak of a workflow in passing",
      path: "CLAUDE.local.md",
      text: "We like our workflow, and this phase of it.\n",
    },
  ])("takes $name for no workflow: nothing is written, nothing is printed", async ({ path, text }) => {
    const project = createProject();
    project.write(path, text);
    const before = filesOf(project);
    const { code, stdout } = await preCompact(project);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(await restore(project)).toBe("");
    expect(filesOf(project)).toEqual(before);
  });

  it("leaves a project without any workflow as it was", async () => {
    const project = createProject();
    const { code, stdout } = await preCompact(project);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    for (const source of ["startup", "resume", "clear", "compact"]) expect(await restore(project, source)).toBe("");
    expect(readdirSync(project.root)).toEqual([]);
  });
});

describe("the life of a state file", () => {
  it("keeps a file that another tool wrote: the same file, its created_at, its @, its own fields", async () => {
    const project = createProject();
    const path = card(project, "feature-implementation-user-auth", "20251209_143052", { ...feature, agent: "theirs" });
    for (const _ of [1, 2, 3]) await preCompact(project);
    const { path: after, value } = cardOf(project);
    expect(after).toBe(path);
    expect(value).toMatchObject({ ...feature, agent: "theirs" });
  });

  it("is read, not deleted and not touched by a restore", async () => {
    const project = createProject();
    const path = card(project, "feature-implementation-user-auth", "20251209_143052", feature);
    utimesSync(join(project.root, path), 1_000_000, 1_000_000);
    const before = project.read(path);
    const handoff = await restore(project);
    expect(handoff).toContain(
      "Workflow: Feature Implementation (User Auth) (implementation) · phase 1/5 Design (in_progress)",
    );
    expect(handoff).toContain("KEY REMINDERS\n  - Follow existing auth patterns");
    expect(handoff).toContain("CONTEXT   plan_number: 1 · feature_name: user-auth");
    expect(project.read(path)).toBe(before);
  });

  it("follows the phases that an agent writes into it by hand, through several compactions", async () => {
    const project = createProject();
    const path = card(project, "feature-implementation-user-auth", "20251209_143052", feature);
    for (const [current, name] of [
      [2, "Build Components"],
      [3, "Testing"],
    ]) {
      const phase = { current, total: 5, name, status: "in_progress" };
      project.write(path, JSON.stringify({ ...JSON.parse(project.read(path)), phase }));
      await preCompact(project);
      expect(await restore(project)).toContain(`CONTINUE HERE   phase ${current}/5 ${name} (in_progress)`);
    }
    expect(cardOf(project).value.created_at).toBe(feature.created_at);
  });
});

describe("several workflows at once", () => {
  it("each have a file of their own, and the one that was modified last is restored, the others named", async () => {
    const project = createProject();
    card(project, "qa-loop", "20251209_150000", {
      workflow: "QA Loop",
      workflow_type: "qa-loop",
      phase: { current: 2, total: 3, name: "Fixing Errors", status: "in_progress" },
      required_reading: ["@CLAUDE/PlanWorkflow.md"],
      context: { iteration: 3 },
      key_reminders: ["Run tests between iterations", "Fix type errors before linting"],
      created_at: new Date(Date.now() - 30_000).toISOString(),
    });
    const other = card(project, "feature-implementation-user-auth", "20251209_143052", feature);
    const minuteAgo = new Date(Date.now() - 60_000);
    utimesSync(join(project.root, other), minuteAgo, minuteAgo);
    const handoff = await restore(project);
    expect(handoff).toContain("Workflow: QA Loop (qa-loop) · phase 2/3 Fixing Errors");
    expect(handoff).toContain(
      "Another workflow in this project: Feature Implementation (User Auth) (phase 1/5). Leave it alone unless you are asked.",
    );
    // An agent edits a card without a word about the time.
    project.write(other, JSON.stringify({ ...feature, phase: { ...feature.phase, current: 2 } }));
    expect(await restore(project)).toContain(
      "Workflow: Feature Implementation (User Auth) (implementation) · phase 2/5",
    );
    expect(cardsOf(project).map(({ value }) => value.workflow)).toEqual([
      "Feature Implementation (User Auth)",
      "QA Loop",
    ]);
  });
});

describe("custom workflows", () => {
  it("are kept with whatever type, context and reminders they have", async () => {
    const project = createProject();
    const migration = {
      workflow: "Database Migration",
      workflow_type: "custom",
      phase: { current: 3, total: 5, name: "Data Transformation", status: "in_progress" },
      required_reading: ["@docs/migration-guide.md", "@scripts/migrate.py"],
      context: { source_db: "postgres", target_db: "mysql", records_migrated: 15000 },
      key_reminders: ["Backup database before each phase", "Validate data integrity after transformation"],
      created_at: new Date(Date.now() - 30_000).toISOString(),
    };
    card(project, "database-migration", "20251209_160000", migration);
    await preCompact(project);
    const handoff = await restore(project);
    expect(handoff).toContain("Workflow: Database Migration (custom) · phase 3/5 Data Transformation (in_progress)");
    expect(handoff).toContain(
      "  - Backup database before each phase\n  - Validate data integrity after transformation",
    );
    expect(handoff).toContain("CONTEXT   source_db: postgres · target_db: mysql · records_migrated: 15000");
    expect(cardOf(project).value).toMatchObject(migration);
  });
});

describe("a workflow without a run", () => {
  it.each(["resume", "fork", "compact"])("that is only a text so far is told whole after %s", expectToldWhole);

  it("is told whole after /clear, and in a new session by one line that names its state card", async () => {
    const project = createProject();
    const path = card(project, "feature", "20251209_143052", feature);
    expect(await restore(project, "clear")).toContain("CONTINUE HERE   phase 1/5 Design (in_progress)");
    expect(await restore(project, "startup")).toBe(
      `Holdfast: the workflow ${feature.workflow} is in progress in this project, at phase 1/5 Design. ` +
        `If this conversation is about it, read @${path} first; otherwise leave it alone.`,
    );
  });

  it("names the other plans that are in progress", async () => {
    const project = createProject();
    project.write("CLAUDE/Plan/066-user-auth/PLAN.md", plan);
    project.write("CLAUDE/Plan/067-dark-mode/PLAN.md", plan.replace("066: User Auth", "067: Dark mode"));
    const old = new Date(Date.now() - 60_000);
    utimesSync(join(project.root, "CLAUDE/Plan/067-dark-mode/PLAN.md"), old, old);
    await preCompact(project);
    expect(await restore(project)).toContain(
      "Another workflow in this project: @CLAUDE/Plan/067-dark-mode/PLAN.md (in progress). Leave it alone unless you are asked.",
    );
  });

  it("keeps no card where untracked is a file: that is said, and the text is told all the same", async () => {
    const project = createProject();
    project.write("CLAUDE.local.md", local);
    project.write("untracked", "mine\n");
    const { code, stdout } = await preCompact(project);
    expect([code, stdout.includes("Page Orchestration - Case Studies")]).toEqual([0, true]);
    const restored = await runHook(project, "SessionStart", { session_id: "s1", source: "compact" });
    expect(contextOf(restored)).toContain("CONTINUE HERE   phase 4/10 SEO Generation (in_progress)");
    expect(restored.answer.systemMessage).toBe(
      "Holdfast: untracked is ignored: it is a file, not a folder, so no state card can be kept",
    );
    expect(project.read("untracked")).toBe("mine\n");
  });
});
