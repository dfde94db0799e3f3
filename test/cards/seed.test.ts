import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OwnCard } from "../../src/cards/card.ts";
import { type CardFolder, createCardFolder } from "../../src/cards/card-folder.ts";
import { detectWorkflow } from "../../src/cards/detect.ts";
import { checkReading } from "../../src/cards/required-reading.ts";
import { makeProject, type Project } from "./project.ts";

// The scenarios of the seed's document on workflow state, with its own texts.

const localFile = `# Current Workflow State

Workflow: Page Orchestration - Case Studies
Phase: 4/10 - SEO Generation

@CLAUDE/PageOrchestration.md
@CLAUDE/Sitemap/case-studies.md
`;

const userAuth = {
  workflow: "Feature Implementation (User Auth)",
  workflow_type: "implementation",
  phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
  required_reading: ["@CLAUDE/PlanWorkflow.md", "@CLAUDE/Plan/001-user-auth/PLAN.md"],
  context: { plan_number: 1, feature_name: "user-auth" },
  key_reminders: ["Follow existing auth patterns"],
  created_at: "2025-12-09T14:30:52Z",
};

const qaLoop = {
  workflow: "QA Loop",
  workflow_type: "qa-loop",
  phase: { current: 2, total: 3, name: "Fixing Errors", status: "in_progress" },
  required_reading: ["@CLAUDE/PlanWorkflow.md"],
  context: { iteration: 3 },
  key_reminders: ["Run tests between iterations", "Fix type errors before linting"],
  created_at: "2025-12-09T15:00:00Z",
};

const migration = {
  workflow: "Database Migration",
  workflow_type: "custom",
  phase: { current: 3, total: 5, name: "Data Transformation", status: "in_progress" },
  required_reading: ["@docs/migration-guide.md", "@scripts/migrate.py"],
  context: { source_db: "postgres", target_db: "mysql", records_migrated: 15_000 },
  key_reminders: ["Backup database before each phase", "Validate data integrity after transformation"],
  created_at: "2025-12-09T16:00:00Z",
};

const state = "untracked/workflow-state";
const authFile = `${state}/feature-implementation/state-feature-implementation-20251209_143052.json`;

/** What happens before a compaction: the workflow is noticed and its card refreshed. */
function beforeCompaction(project: Project, cards: CardFolder, now: string): string | null {
  const { found } = detectWorkflow(project.root);
  if (found === null) return null;
  const { source: _, ...tracked } = found;
  const own: OwnCard = { ...tracked, created_at: now, run_id: null, other: {} };
  return cards.save(own, now).file;
}

function make(): { readonly project: Project; readonly cards: CardFolder } {
  const project = makeProject();
  return { project, cards: createCardFolder(project.root) };
}

describe("before a compaction", () => {
  it("a workflow in CLAUDE.local.md gets a card in the seed's place and format", () => {
    const { project, cards } = make();
    project.write("CLAUDE.local.md", localFile);
    const file = beforeCompaction(project, cards, "2025-12-09T14:30:52.123Z");
    const slug = "page-orchestration-case-studies";
    expect(file).toBe(join(project.root, state, slug, `state-${slug}-20251209_143052.json`));
    expect(JSON.parse(readFileSync(file ?? "", "utf8"))).toEqual({
      workflow: "Page Orchestration - Case Studies",
      workflow_type: "custom",
      phase: { current: 4, total: 10, name: "SEO Generation", status: "in_progress" },
      required_reading: ["@CLAUDE/PageOrchestration.md", "@CLAUDE/Sitemap/case-studies.md"],
      context: {},
      key_reminders: [],
      created_at: "2025-12-09T14:30:52.123Z",
      updated_at: "2025-12-09T14:30:52.123Z",
      version: 1,
    });
  });

  it("a plan in progress gets one too", () => {
    const { project, cards } = make();
    project.write(
      "CLAUDE/Plan/001-user-auth/PLAN.md",
      "# Plan 001: User Auth\n\n**Status**: 🔄 In Progress\n\n## Phase 1\n",
    );
    beforeCompaction(project, cards, "2025-12-09T16:00:00.000Z");
    expect(project.json(`${state}/user-auth/state-user-auth-20251209_160000.json`)).toMatchObject({
      workflow: "User Auth",
      required_reading: ["@CLAUDE/Plan/001-user-auth/PLAN.md"],
      context: { plan_number: 1 },
    });
  });

  it("where no workflow is active nothing is written", () => {
    const { project, cards } = make();
    project.write("CLAUDE.local.md", "Be brief.\n");
    expect(beforeCompaction(project, cards, "2025-12-09T16:00:00.000Z")).toBe(null);
    expect(project.files()).toEqual(["CLAUDE.local.md"]);
  });

  it("a card that the agent made for the workflow is updated, not doubled, and keeps its start", () => {
    const { project, cards } = make();
    project.write(authFile, JSON.stringify(userAuth));
    project.write("CLAUDE.local.md", "Workflow: Feature Implementation (User Auth)\nPhase: 3/5 - Testing\n");
    expect(beforeCompaction(project, cards, "2025-12-10T00:00:00.000Z")).toBe(join(project.root, authFile));
    expect(project.json(authFile)).toEqual({
      ...userAuth,
      phase: { current: 3, total: 5, name: "Testing", status: "in_progress" },
      updated_at: "2025-12-10T00:00:00.000Z",
      version: 1,
    });
    expect(project.files()).toEqual(["CLAUDE.local.md", `${state}/.gitignore`, authFile]);
  });
});

describe("after a compaction", () => {
  it.each([userAuth, qaLoop, migration])("the seed's card of $workflow is read as it is, and stays", (card) => {
    const { project, cards } = make();
    const file = `${state}/any/state-any-20251209_143052.json`;
    project.write(file, JSON.stringify(card));
    expect(cards.list("2025-12-10T00:00:00.000Z")).toEqual({
      cards: [
        {
          file: join(project.root, file),
          card: { ...card, updated_at: null, run_id: null, version: null, other: {} },
          updatedAt: card.created_at,
        },
      ],
      notes: [],
    });
    expect(project.read(file)).toBe(JSON.stringify(card));
  });

  it("the files to read carry @, and those that are not there say so", () => {
    const { project } = make();
    project.write("CLAUDE/PlanWorkflow.md", "how we plan");
    expect(checkReading(project.root, userAuth.required_reading).entries).toEqual([
      { path: "@CLAUDE/PlanWorkflow.md", missing: false },
      { path: "@CLAUDE/Plan/001-user-auth/PLAN.md", missing: true },
    ]);
  });

  it("without a card there is nothing", () => {
    expect(make().cards.list("2025-12-10T00:00:00.000Z")).toEqual({ cards: [], notes: [] });
  });
});

describe("many compactions", () => {
  it("lose nothing of what the agent keeps in the card, and have the latest phase each time", () => {
    const { project, cards } = make();
    project.write(authFile, JSON.stringify({ ...userAuth, notes: { decided: "JWT" } }));
    for (let cycle = 1; cycle <= 20; cycle++) {
      const now = `2025-12-10T00:00:${String(cycle).padStart(2, "0")}.000Z`;
      project.write("CLAUDE.local.md", `Workflow: ${userAuth.workflow}\nPhase: ${cycle}/20 - Round ${cycle}\n`);
      const written = project.json(authFile) as typeof userAuth;
      project.write(
        authFile,
        JSON.stringify({ ...written, key_reminders: [...written.key_reminders, `from ${cycle}`] }),
      );
      beforeCompaction(project, cards, now);
      expect(cards.list(now).cards).toMatchObject([{ card: { phase: { current: cycle, name: `Round ${cycle}` } } }]);
    }
    const reminders = Array.from({ length: 20 }, (_, cycle) => `from ${cycle + 1}`);
    expect(project.json(authFile)).toMatchObject({
      ...userAuth,
      phase: { current: 20, total: 20, name: "Round 20" },
      key_reminders: ["Follow existing auth patterns", ...reminders],
      notes: { decided: "JWT" },
    });
  });
});

describe("concurrent workflows", () => {
  it("have a folder each, and the one that was touched last comes first", () => {
    const { project, cards } = make();
    for (const card of [userAuth, qaLoop, migration]) {
      cards.save(
        { ...card, phase: { ...card.phase, status: "in_progress" }, run_id: null, other: {} },
        card.created_at,
      );
    }
    expect(project.files()).toEqual([
      `${state}/.gitignore`,
      `${state}/database-migration/state-database-migration-20251209_160000.json`,
      `${state}/feature-implementation-user-auth/state-feature-implementation-user-auth-20251209_143052.json`,
      `${state}/qa-loop/state-qa-loop-20251209_150000.json`,
    ]);
    const names = () => cards.list("2025-12-11T00:00:00.000Z").cards.map(({ card }) => card.workflow);
    expect(names()).toEqual(["Database Migration", "QA Loop", "Feature Implementation (User Auth)"]);
    cards.remove({ workflow: "Database Migration" });
    expect(names()).toEqual(["QA Loop", "Feature Implementation (User Auth)"]);
  });
});

describe("the end of a workflow", () => {
  it("takes its card and folder away", () => {
    const { project, cards } = make();
    project.write(authFile, JSON.stringify(userAuth));
    cards.remove({ workflow: userAuth.workflow });
    expect(project.files()).toEqual([]);
  });

  it("may be the agent's rm, after which the next one begins anew", () => {
    const { project, cards } = make();
    project.write("CLAUDE.local.md", localFile);
    beforeCompaction(project, cards, "2025-12-09T14:30:52.123Z");
    rmSync(project.path(state), { recursive: true });
    expect(cards.list("2025-12-11T00:00:00.000Z").cards).toEqual([]);
    beforeCompaction(project, cards, "2025-12-11T00:00:00.000Z");
    expect(cards.list("2025-12-11T00:00:00.000Z").cards[0]?.card.created_at).toBe("2025-12-11T00:00:00.000Z");
  });
});
