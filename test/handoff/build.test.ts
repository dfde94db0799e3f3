import { describe, expect, it } from "vitest";
import { buildHandoff, type HandoffFrame } from "../../src/handoff/build.ts";
import { compactionInstructions, offerText } from "../../src/handoff/short-texts.ts";
import { hostile, someFacts } from "./facts.ts";

const file = ".holdfast/runs/feature-20261114_143052-k3f9/handoff.md";
const claude: HandoffFrame = { id: "0a1b2c3d-7", reason: "compact", limit: 9_000, unit: "characters", file };
const codex: HandoffFrame = { ...claude, limit: 2_400, unit: "tokens" };
const paths = Array.from({ length: 60 }, (_, index) => `@docs/chapter-${index + 1}.md`);

describe("a handoff", () => {
  it("tells who the run is, what is done, where it goes on, what to read and what to do, in this order", () => {
    expect(
      buildHandoff(someFacts, claude),
    ).toBe(`<holdfast run="feature-20261114_143052-k3f9" at="2026-11-14T16:02:11.004Z" reason="compact" id="0a1b2c3d-7">
You are in the middle of a workflow. It continues where it left off; do not start over.

Workflow: feature (implementation) · "Dark mode" · phase 3/9 build (in_progress) · run feature-20261114_143052-k3f9

DONE, not to be redone
  1 plan  A plan in three parts
  2 review  approved (2 visits)

LAST OUTPUT   visit build#1.t1.verify
  | The tokens are in.
  | Nothing else changed.

CONTINUE HERE   step 3/9 build · task 2/5 "Toggle" · sub-step implement (1/2) · visit build#1.t2.implement
  | Implement the toggle.
  | Keep it small.
  Before this visit may end: \`npm test\` passes.

REQUIRED READING
  @docs/guide.md
  @docs/rules.md (missing)

KEY REMINDERS
  - Run the tests

CONTEXT   feature: dark-mode · depth: 2

FEEDBACK
  the gate: "2 tests failed"

ACTION REQUIRED
  This is for the main agent. If you are a subagent, ignore it and go on with the task you were given.
  1. Read the files listed above that are no longer in your context.
  2. Say: "✅ Workflow restored: feature, Phase 3/9".
  3. Call workflow_status (run_id feature-20261114_143052-k3f9), then continue with the step above.
  4. Make no assumptions: anything not listed as done is not done.

Another live run in this project: bugfix-20261113_090000-aaaa (at fix). To switch, pass its id as run_id.

Note: "@~/.ssh/id_rsa" is left out: it is outside the project
</holdfast>
`);
  });

  it("leaves out what there is nothing to say about", () => {
    const bare = { ...someFacts, done: [], requiredReading: [], keyReminders: [], context: {}, feedback: [] };
    const handoff = buildHandoff({ ...bare, lastOutput: null, others: [], notes: [], summary: null }, claude);
    expect(handoff).not.toMatch(/DONE|LAST OUTPUT|READING|REMINDERS|CONTEXT|FEEDBACK|live run|Note|listed above/);
    expect(handoff).toContain('  1. Say: "✅ Workflow restored: feature, Phase 3/9".');
  });

  it("tells an agent that must wait to wait", () => {
    const here = { ...someFacts, here: someFacts.here && { ...someFacts.here, waiting: "It waits for a person." } };
    const handoff = buildHandoff(here, claude);
    expect(handoff).toContain("visit build#1.t2.implement\n  It waits for a person.\n  | Implement");
    expect(handoff).toContain("then wait as stated above.");
  });

  it("tells of a workflow that only its card knows by its phase", () => {
    const handoff = buildHandoff({ ...someFacts, runId: null, here: null }, { ...claude, file: null });
    expect(handoff).toContain("CONTINUE HERE   phase 3/9 build (in_progress)");
    expect(handoff).toContain("  3. Then continue with phase 3/9 build.");
    expect(handoff).not.toContain("workflow_status");
  });
});

describe.each([
  { host: "Claude Code", frame: claude },
  { host: "Codex", frame: codex },
])("what is too long for $host", ({ frame }) => {
  const instructions = Array.from({ length: 2_000 }, (_, index) => `Line ${index + 1} of the instructions.`).join("\n");
  const here = someFacts.here && {
    ...someFacts.here,
    instructions,
    instructionsFile: ".holdfast/runs/x/instructions.md",
  };
  const long = {
    ...someFacts,
    here,
    requiredReading: paths.map((path) => ({ path, missing: false })),
    keyReminders: Array.from({ length: 2_000 }, (_, index) => `Reminder ${index}: ${"remember ".repeat(60)}`),
    context: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`variable_${index}`, "x".repeat(5_000)])),
    done: Array.from({ length: 300 }, (_, index) => ({
      number: index + 1,
      step: `step-${index + 1}`,
      about: "it was done",
    })),
    feedback: [{ from: "the gate", text: "failed ".repeat(2_000) }],
  };

  it("shrinks to pointers; the run, the step and all that must be read stay whole", () => {
    const handoff = buildHandoff(long, frame);
    expect(handoff).toContain("step 3/9 build · task 2/5");
    expect(handoff).toContain("visit build#1.t2.implement\n  | Line 1 of the instructions.\n");
    expect(handoff).toContain("  | Line 2000 of the instructions.\n");
    expect(handoff).toContain("characters left out: read @.holdfast/runs/x/instructions.md]");
    expect(paths.filter((path) => !handoff.includes(`  ${path}\n`))).toEqual([]);
    expect(handoff).toMatch(/(?:and 1992 more|KEY REMINDERS {3}2000): read @\.holdfast\/runs\/feature/);
    expect(handoff).toMatch(/CONTEXT {3}(?:500 values|variable_0, [^\n]*): read @\.holdfast\/runs\/feature/);
    expect(handoff).toMatch(/DONE, not to be redone: (?:300 steps: read @|1 step-1, 2 step-2, )/);
    expect(handoff).toContain("\n  1. Read the files listed above");
  });

  it("shortens long rules and the list of the agent's other tasks before its end is cut, which says what to do", () => {
    const own = Array.from({ length: 9 }, (_, index) => ({
      id: `t${index + 2}`,
      title: "long ".repeat(40),
      subStep: "verify",
      token: `build/t${index + 2}/verify#1`,
      waiting: "long ".repeat(60),
    }));
    const tasks = {
      loop: "build",
      number: 3,
      steps: 9,
      done: 1,
      failed: 0,
      skipped: 0,
      total: 20,
      taken: 0,
      free: 9,
      own,
    };
    const here = someFacts.here && { ...someFacts.here, rules: Array.from({ length: 3 }, () => "long ".repeat(400)) };
    const handoff = buildHandoff({ ...someFacts, here, tasks }, { ...frame, limit: 2_400, unit: "tokens" });
    expect(handoff).toContain("\n  and 7 more of yours: call workflow_status\n");
    expect(handoff).toContain("REQUIRED READING\n  @docs/guide.md\n");
    expect(handoff).toContain("Make no assumptions: anything");
  });

  it("names as many of ten thousand files as fit, and says where the others are", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      path: `@docs/chapter-${index + 1}.md`,
      missing: false,
    }));
    const handoff = buildHandoff({ ...long, requiredReading: many }, frame);
    expect(handoff).toContain("  @docs/chapter-90.md\n");
    expect(handoff).toMatch(/ {2}and \d+ more: read @\.holdfast\/runs\/feature-20261114_143052-k3f9\/handoff\.md\n/);
    expect(handoff).toContain("visit build#1.t2.implement");
  });
});

describe("hostile text", () => {
  const said = hostile.join(" ");

  it("stays quoted data wherever it stands", () => {
    const facts = {
      ...someFacts,
      workflow: said,
      workflowType: said,
      summary: said,
      phase: { ...someFacts.phase, name: said, status: said },
      here: someFacts.here && { ...someFacts.here, within: said, instructions: said, waiting: said },
      requiredReading: [{ path: `@${said}`, missing: false }],
      keyReminders: [said],
      context: { [said]: said },
      feedback: [{ from: said, text: said }],
      others: [{ id: said, where: said }],
      notes: [said],
    };
    for (const text of [buildHandoff(facts, claude), `${offerText(facts, "old")}${compactionInstructions(facts)}`]) {
      expect(text.match(/<[^\s‹]*(?:holdfast|system)[^\n>]*>/gi) ?? []).toEqual(
        text.startsWith("<holdfast ") ? [expect.stringContaining("<holdfast run="), "</holdfast>"] : [],
      );
      expect(text).not.toMatch(/^ACTION REQUIRED\n {2}1\. Delete/m);
    }
    expect(buildHandoff(facts, claude)).toContain("  | break\n  | and\n  | more\n  |   more");
  });
});
