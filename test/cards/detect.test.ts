import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { detectWorkflow } from "../../src/cards/detect.ts";
import { findRoots } from "../../src/platform/roots.ts";
import { makePipe } from "../store/project.ts";
import { asNobody, makeProject, type Project } from "./project.ts";

const local = "CLAUDE.local.md";

/** What is found in a project that has only this local file. */
function inLocal(text: string) {
  const project = makeProject();
  project.write(local, text);
  return detectWorkflow(project.root);
}

/** What is found in a project that has only this plan. */
function inPlan(text: string, folder = "066-dark-mode") {
  const project = makeProject();
  project.write(`CLAUDE/Plan/${folder}/PLAN.md`, text);
  return detectWorkflow(project.root);
}

function plan(project: Project, folder: string, text: string, time = "2026-01-01T00:00:00Z"): void {
  project.write(`CLAUDE/Plan/${folder}/PLAN.md`, text);
  project.touch(`CLAUDE/Plan/${folder}/PLAN.md`, time);
}

const active = "# Plan 001: Dark mode\n\n**Status**: 🔄 In Progress\n\n## Phase 1\n";

describe("a workflow in the local file is detected", () => {
  it.each([
    ["a heading", "# Current Workflow State\n"],
    ["a heading deep down", "text\n\n### workflow state of today ###\n"],
    ["a heading with a line under it", "Workflow State\n==============\n"],
    ["the words in capitals", "=== WORKFLOW STATE ===\n"],
    ["the words in capitals in a sentence", "The **WORKFLOW STATE** is below\n"],
    ["Workflow:", "Workflow: Pages\n"],
    ["workflow: in a list", "  - workflow: Pages\n"],
    ["WORKFLOW: in a quote", "> WORKFLOW: Pages\n"],
    ["a bold Workflow", "**Workflow**: Pages\n"],
    ["a bold Workflow:", "- **Workflow:** Pages\n"],
    ["a heading with Workflow:", "## Workflow: Pages\n"],
    ["Phase:", "Phase: 1/2\n"],
    ["phase: on a line that ends as on Windows", "first\r\nphase: 1/2\r\n"],
  ])("by %s", (_, text) => {
    expect(inLocal(text)).toMatchObject({ found: { source: local }, others: [] });
  });

  it.each([
    ["the words in prose", "Keep the workflow state in mind.\nOur workflow: we review everything.\n"],
    ["a word that only begins so", "Workflows: many\nPhases: 3\nWorkflow state: fine\n"],
    ["an empty file", ""],
    ["a link", "http://workflow:8080/phase: no\n"],
  ])("but not by %s", (_, text) => {
    expect(inLocal(text)).toEqual({
      found: null,
      others: [],
      reasons: ['CLAUDE.local.md: no workflow found (no heading that names one, no "Workflow:" or "Phase:" line)'],
    });
  });

  it("by a marker that is configured", () => {
    const project = makeProject();
    project.write("docs/now.md", "# Where we are\n");
    const settings = { local: ["docs/*.md"], markers: ["where we are"] };
    expect(detectWorkflow(project.root, settings).found?.source).toBe("docs/now.md");
    expect(detectWorkflow(project.root, { local: ["docs/*.md"] }).found).toBe(null);
  });

  it("but not when it says that it is complete", () => {
    expect(inLocal("Workflow: Pages\nPhase: 10/10 - Publish\nStatus: ✅ Completed\n")).toEqual({
      found: null,
      others: [],
      reasons: ["CLAUDE.local.md: the workflow is complete"],
    });
    expect(inLocal("Workflow: Pages\nPhase: 9/10 - Check\nStatus: completed\n").found?.phase.status).toBe("completed");
  });
});

describe("a plan is detected", () => {
  it.each([
    ["the sign", "# A\n🔄 In Progress\nPhase 1\n"],
    ["the sign in a table", "# A\n| Status | 🔄 In Progress |\nthe workflow\n"],
    ["a status line with the sign", "# A\n**Status**: 🔄 In Progress\nPhase 1\n"],
    ["a status line without it", "# A\n**Status**: In Progress\nPhase 1\n"],
    ["a status line in any case", "# A\n**status**: IN PROGRESS\nPHASE 1\n"],
    ["a status line with the colon in bold", "# A\n- **Status:** in progress (since Monday)\nPhase 1\n"],
    ["a status line, though a phase is complete", "# A\n**Status**: In Progress\n### Phase 1 ✅ Complete\n"],
  ])("by %s", (_, text) => {
    expect(inPlan(text).found?.source).toBe("CLAUDE/Plan/066-dark-mode/PLAN.md");
  });

  it.each([
    ["complete", "# A\n**Status**: ✅ Complete\nPhase 1 was 🔄 In Progress\n"],
    ["complete without a status line", "# A\n✅ Complete\nPhase 1 was 🔄 In Progress\n"],
    ["not started", "# A\n**Status**: Not started, not in progress\nPhase 1\n"],
    ["without a status", "# A\nPhase 1\n"],
    ["only told of in prose", "# A\nThe work is in progress in phase 1.\n"],
  ])("but not when it is %s", (_, text) => {
    expect(inPlan(text)).toEqual({ found: null, others: [], reasons: [] });
  });

  it("but not when it mentions neither a phase nor a workflow, and the reason is told", () => {
    expect(inPlan("# A\n🔄 In Progress\nIt was emphasised in multiphase.\n")).toEqual({
      found: null,
      others: [],
      reasons: ["CLAUDE/Plan/066-dark-mode/PLAN.md: the plan is in progress, but mentions no phase or workflow"],
    });
  });

  it("but not under Completed, whatever the globs", () => {
    const project = makeProject();
    plan(project, "Completed", active);
    plan(project, "Completed/002-old", active);
    plan(project, "completed/003-older", active);
    expect(detectWorkflow(project.root)).toEqual({ found: null, others: [], reasons: [] });
    const plans = ["CLAUDE/Plan/*/*/PLAN.md", "CLAUDE/Plan/*/PLAN.md"];
    expect(detectWorkflow(project.root, { plans })).toEqual({ found: null, others: [], reasons: [] });
  });

  it("where the globs that are configured lead", () => {
    const project = makeProject();
    project.write("plans/2026/a+b (1).plan.md", active);
    project.write("plans/2026/other.md", active);
    project.write("plans/.hidden/x.plan.md", active);
    const find = (...plans: string[]) => detectWorkflow(project.root, { plans }).found?.source;
    expect(find("plans/*/*.plan.md")).toBe("plans/2026/a+b (1).plan.md");
    expect(find("plans/*/a+b (*).plan.md")).toBe("plans/2026/a+b (1).plan.md");
    expect(find("./plans//2026/other.md")).toBe("plans/2026/other.md");
    expect(find("plans/.h*/*.md")).toBe("plans/.hidden/x.plan.md");
    expect(find("plans/*.plan.md", "plan?/*/*.md", "*")).toBe(undefined);
    expect(find("plans/*/a*.pl*an.plan.md", "plans/*/*a+b*b*")).toBe(undefined);
    expect(find("plans/*/*a*(*)**.md")).toBe("plans/2026/a+b (1).plan.md");
  });

  it("and looks for a few hundred of the files that a plan mentions", () => {
    const project = makeProject();
    for (const name of ["first", "last"]) project.write(`docs/${name}.md`, "");
    const others = Array.from({ length: 400 }, (_, n) => `docs/${n}.md`).join("\n");
    project.write("CLAUDE/Plan/one/PLAN.md", `${active}\ndocs/first.md\n${others}\ndocs/last.md\n`);
    const { found } = detectWorkflow(project.root);
    expect(found?.required_reading).toEqual(["@CLAUDE/Plan/one/PLAN.md", "@docs/first.md"]);
  });

  it("with a limit for all patterns together", () => {
    const project = makeProject();
    project.write("plans/a/x.plan.md", active);
    for (const name of ["b", "c", "d", "e"]) project.link(".", `plans/${name}`);
    const wide = [1, 2, 3].map((n) => `plans/${"*/".repeat(30)}${n}.plan.md`);
    const plans = [...wide, "plans/*/x.plan.md"];
    const { found, reasons } = detectWorkflow(project.root, { plans });
    expect(found).toBe(null);
    expect(reasons).toEqual(plans.map((glob) => `${glob}: it matches too many folders`));
  });

  it("with a limit for folders with very many names", () => {
    const project = makeProject();
    for (let n = 0; n < 600; n++) project.write(`many/${n}.txt`, "");
    const plans = Array.from({ length: 200 }, (_, n) => `many/*.${n}`);
    const { reasons } = detectWorkflow(project.root, { plans });
    expect(reasons).toEqual(plans.slice(167).map((glob) => `${glob}: it matches too many folders`));
  });

  it("with a limit for folders that contain themselves", () => {
    const project = makeProject();
    project.write("plans/a/x.plan.md", active);
    for (const name of ["b", "c", "d", "e"]) project.link(".", `plans/${name}`);
    const wide = `plans/${"*/".repeat(30)}x.plan.md`;
    const { found, reasons } = detectWorkflow(project.root, { plans: [wide, "plans/a/*.plan.md"] });
    expect(found?.source).toBe("plans/a/x.plan.md");
    expect(reasons).toEqual([`${wide}: it matches too many folders`]);
  });
});

describe("the phase of a plan is read from its own marks", () => {
  const phaseIn = (body: string) => {
    const { found } = inPlan(`# Plan 066: Dark mode\n\n**Status**: In Progress\n\n${body}`);
    const { current, total, name } = found?.phase ?? {};
    return [current, total, name];
  };

  it.each([
    ["a sign in a heading", "## Phase 1: Research ✅\n## Phase 2: Build 🔄\n## Phase 3: Ship\n", [2, 3, "Build"]],
    [
      "words in a heading",
      "### Phase 1 - Research (Completed)\n### Phase 2 - Complete the form (In Progress)\n### Phase 3 - Ship\n",
      [2, 3, "Complete the form"],
    ],
    [
      "a status line below it",
      "## Phase 1: Research\n**Status**: ✅ Complete\n## Phase 2: Build\n**Status**: 🔄 In Progress\n## Phase 3: Ship\n",
      [2, 3, "Build"],
    ],
    [
      "checkboxes below it",
      "## Phase 1: Research\n- [x] a\n- [x] b\n### Notes\n- [x] c\n## Phase 2: Build\n- [x] a\n- [ ] b\n## Phase 3: Ship\n- [ ] c\n",
      [2, 3, "Build"],
    ],
    [
      "a list with checkboxes",
      "- [x] Phase 1: Research\n- [x] **Phase 2**: Build\n- [ ] Phase 3: Ship\n",
      [3, 3, "Ship"],
    ],
    ["a list with signs", "1. ✅ Phase 1: Research\n2. 🔄 Phase 2: Build\n3. ⬜ Phase 3: Ship\n", [2, 3, "Build"]],
    [
      "a table",
      "| Phase | What | Status |\n| --- | --- | --- |\n| Phase 1 | Research | ✅ Complete |\n| Phase 2 | Build | 🔄 In Progress |\n",
      [2, 2, "Build"],
    ],
    [
      "an overview, where the headings say less",
      "- Phase 1: Research ✅\n- Phase 2: Build 🔄\n\n## Phase 1: Research\nText\n## Phase 2: Build\nText\n",
      [2, 2, "Build"],
    ],
    ["numbers from zero", "## Phase 0: Set up ✅\n## Phase 1: Build 🔄\n## Phase 2: Ship\n", [2, 3, "Build"]],
    ["all complete", "## Phase 1: Research ✅\n## Phase 2: Build ✅\n", [2, 2, "Build"]],
  ])("%s", (_how, body, phase) => {
    expect(phaseIn(body)).toEqual(phase);
  });

  it("and is not guessed where there are none, nor where it is said outright", () => {
    expect(phaseIn("## Phase 1: Research\n## Phase 2: Build\n")).toEqual([1, 1, "Dark mode"]);
    expect(phaseIn("Phase: 3/4 - Ship\n## Phase 1: Research ✅\n## Phase 2: Build 🔄\n")).toEqual([3, 4, "Ship"]);
    expect(phaseIn("We finished phase 1 ✅ and are in phase 2 🔄.\n")).toEqual([1, 1, "Dark mode"]);
  });
});

describe("the documents that a plan mentions join the reading", () => {
  it("in prose, in backticks and as links, where they exist, and nothing else does", () => {
    const project = makeProject();
    for (const file of ["docs/design.md", "docs/api.md", "docs/notes.mdx", "CLAUDE/PlanWorkflow.md", "src/code.ts"]) {
      project.write(file, "x\n");
    }
    project.write("CLAUDE/Plan/001-a/research.md", "x\n");
    project.write("docs/listed.md", "x\n");
    writeFileSync(join(project.outside, "secret.md"), "x\n");
    plan(
      project,
      "001-a",
      `${active}
Follow CLAUDE/PlanWorkflow.md, then **docs/design.md**. See \`docs/api.md\`, [research](research.md#part) and
[notes](../../../docs/notes.mdx "Notes"). It changes \`src/code.ts\` and docs/gone.md; see https://example.org/docs/api.md.
Not ../../../../outside/secret.md. This is PLAN.md itself.
@docs/design.md
\`\`\`
docs/listed.md
\`\`\`
`,
    );
    expect(detectWorkflow(project.root).found?.required_reading).toEqual([
      "@CLAUDE/Plan/001-a/PLAN.md",
      "@docs/design.md",
      "@CLAUDE/PlanWorkflow.md",
      "@docs/api.md",
      "@CLAUDE/Plan/001-a/research.md",
      "@docs/notes.mdx",
    ]);
  });
});

describe("of several sources", () => {
  it("the local file goes before plans, and nothing of a plan is blended into it", () => {
    const project = makeProject();
    plan(project, "001-dark-mode", `${active}\nPhase: 2/3 - Build\n@docs/plan.md\n`);
    project.write(local, "Workflow: Pages\n");
    expect(detectWorkflow(project.root)).toEqual({
      found: {
        workflow: "Pages",
        workflow_type: "custom",
        phase: { current: 1, total: 1, name: "Pages", status: "in_progress" },
        required_reading: [],
        key_reminders: [],
        context: {},
        source: local,
      },
      others: ["CLAUDE/Plan/001-dark-mode/PLAN.md"],
      reasons: [],
    });
  });

  it("the newest plan counts, then the name, and the others are listed", () => {
    const project = makeProject();
    plan(project, "001-a", active, "2026-01-01T00:00:00Z");
    plan(project, "003-c", active, "2026-01-02T00:00:00Z");
    plan(project, "002-b", active, "2026-01-02T00:00:00Z");
    expect(detectWorkflow(project.root)).toMatchObject({
      found: { source: "CLAUDE/Plan/002-b/PLAN.md" },
      others: ["CLAUDE/Plan/003-c/PLAN.md", "CLAUDE/Plan/001-a/PLAN.md"],
    });
  });

  it("none at all is nothing, also where there is no project", () => {
    const project = makeProject();
    expect(detectWorkflow(project.root)).toEqual({ found: null, others: [], reasons: [] });
    expect(detectWorkflow(join(project.root, "gone"))).toEqual({ found: null, others: [], reasons: [] });
    expect(project.files()).toEqual([]);
  });

  it("those of a worktree are found from any folder in it", () => {
    const project = makeProject();
    project.git("init", "--quiet");
    project.git("commit", "--quiet", "--allow-empty", "--message", "first");
    project.git("worktree", "add", "--quiet", "--detach", "../linked");
    project.write("../linked/deep/down/x", "");
    project.write(`../linked/${local}`, "Workflow: Linked\n");
    project.write("deep/down/x", "");
    project.write(local, "Workflow: Main\n");
    const find = (folder: string) => detectWorkflow(findRoots(project.path(folder)).projectRoot).found?.workflow;
    expect(find("deep/down")).toBe("Main");
    expect(find("../linked/deep/down")).toBe("Linked");
  });
});

describe("a source that cannot be read does not stop the others:", () => {
  function beside(spoil: (project: Project, file: string) => void): readonly string[] {
    const project = makeProject();
    spoil(project, project.path(local));
    plan(project, "001-good", active);
    spoil(project, project.path("CLAUDE/Plan/002-bad/PLAN.md"));
    const { found, reasons } = detectWorkflow(project.root);
    expect(found?.source).toBe("CLAUDE/Plan/001-good/PLAN.md");
    return reasons;
  }
  const both = (problem: string) => [`${local}: ${problem}`, `CLAUDE/Plan/002-bad/PLAN.md: ${problem}`];

  it("a folder", () => {
    expect(beside((_, file) => mkdirSync(file))).toEqual(both("it is a folder"));
  });

  it("no UTF-8", () => {
    const bytes = new Uint8Array([...Buffer.from("Workflow: x\n🔄 In Progress "), 0xff]);
    expect(beside((_, file) => writeFileSync(file, bytes))).toEqual(both("it is not UTF-8 text"));
  });

  it("binary", () => {
    expect(beside((_, file) => writeFileSync(file, `Workflow: x\n🔄 In Progress \0`))).toEqual(
      both("it is not UTF-8 text"),
    );
  });

  it("huge", () => {
    expect(beside((_, file) => writeFileSync(file, `Workflow: x\n${" ".repeat(262_144)}`))).toEqual(
      both("it is too large"),
    );
  });

  it("a pipe that nobody writes to", () => {
    expect(beside((_, file) => makePipe(file))).toEqual(both("it is a pipe or a device"));
  });

  it("a link out of the project, or round in a circle", () => {
    const out = beside((project, file) => {
      writeFileSync(join(project.outside, "x.md"), "Workflow: Mallory\n🔄 In Progress\n");
      symlinkSync(join(project.outside, "x.md"), file);
    });
    expect(out).toEqual(both("it is outside the project"));
    expect(beside((_, file) => symlinkSync(file, file))).toEqual([]);
  });

  it("without the right to read it", () => {
    const project = makeProject();
    project.write(local, "Workflow: x\n");
    plan(project, "001-good", active);
    chmodSync(project.path(local), 0);
    asNobody(() =>
      expect(detectWorkflow(project.root)).toMatchObject({
        found: { source: "CLAUDE/Plan/001-good/PLAN.md" },
        reasons: [`${local}: access is denied`],
      }),
    );
  });
});

describe("nothing outside the project is looked at", () => {
  it("through a glob", () => {
    const project = makeProject();
    writeFileSync(join(project.outside, "PLAN.md"), active);
    const plans = ["../outside/*.md", join(project.outside, "*.md"), "a/../../outside/PLAN.md"];
    expect(detectWorkflow(project.root, { plans, local: [] })).toEqual({
      found: null,
      others: [],
      reasons: plans.map((glob) => `${glob}: it is outside the project`),
    });
  });

  it("through a folder that is a link", () => {
    const project = makeProject();
    mkdirSync(join(project.outside, "001-x"));
    writeFileSync(join(project.outside, "001-x/PLAN.md"), active);
    project.link(project.outside, "CLAUDE/Plan");
    expect(detectWorkflow(project.root).found).toBe(null);
    expect(detectWorkflow(project.root, { plans: ["CLAUDE/Plan/001-x/PLAN.md"] })).toEqual({
      found: null,
      others: [],
      reasons: ["CLAUDE/Plan/001-x/PLAN.md: it is outside the project"],
    });
  });

  it("but a link within it is followed, and the project may be reached through one", () => {
    const project = makeProject();
    project.write("notes/state.md", "Workflow: Pages\n");
    project.link("notes/state.md", local);
    symlinkSync(project.root, join(project.outside, "link"));
    expect(detectWorkflow(join(project.outside, "link")).found).toMatchObject({ workflow: "Pages", source: local });
  });
});

describe("however many plans there are", () => {
  it("only so many are read, the newest of those whose names come last", () => {
    const project = makeProject();
    for (let number = 0; number < 2_100; number++) {
      plan(
        project,
        `${String(number).padStart(5, "0")}-p`,
        active,
        number === 1_500 ? "2026-02-01T00:00:00Z" : undefined,
      );
    }
    const { found, others } = detectWorkflow(project.root);
    expect([found?.source, others.length]).toEqual(["CLAUDE/Plan/01500-p/PLAN.md", 199]);
  });

  it("only so many bytes of them are read", () => {
    const project = makeProject();
    for (let number = 0; number < 60; number++) plan(project, `${number}-p`, `${active}${"x".repeat(250_000)}`);
    expect(detectWorkflow(project.root).others.length).toBeLessThan(40);
  });
});
