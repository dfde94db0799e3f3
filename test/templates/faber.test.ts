import { describe, expect, it } from "vitest";
import { fromFaber } from "../../src/templates/faber/faber.ts";
import { loadTemplate } from "../../src/templates/load.ts";

/** A workflow in FABER's own shape, with the parts that its schema knows. */
const whole = {
  $schema: "../workflow.schema.json",
  id: "default",
  description: "From an issue to a release",
  extends: "fractary-faber:core",
  prompt: "Keep commits small.",
  phases: {
    release: {
      enabled: true,
      require_approval: true,
      steps: [{ id: "merge", name: "Merge", prompt: "/repo:pr-merge {pr_number} --delete-branch" }],
    },
    frame: {
      enabled: true,
      description: "Fetch the work item",
      pre_steps: [
        { id: "fetch", name: "Fetch Issue", description: "Read the issue", prompt: "/work:fetch --work-id {work_id}" },
      ],
      steps: [],
      post_steps: [{ id: "commit", command: "repo:commit-push" }],
    },
    architect: {
      enabled: true,
      steps: [{ id: "spec", description: "Write the spec", skill: "spec:writer", arguments: { id: "{work_id}" } }],
      validation: ["The spec names its risks"],
    },
    build: {
      enabled: true,
      max_retries: 2,
      result_handling: { on_failure: "retry" },
      steps: [
        { id: "implement", prompt: "Implement {{it}} for {task.nope} in {project_root}", max_turns: 40, model: "opus" },
        {
          id: "checks",
          steps_parallel: [
            { id: "lint", prompt: "Lint" },
            { id: "commit", prompt: "Commit" },
          ],
        },
      ],
    },
    evaluate: { enabled: false, steps: [{ id: "test", prompt: "Test" }] },
  },
  autonomy: { level: "guarded", require_approval_for: ["release", "deploy"] },
  critical_artifacts: {
    always_load: [
      {
        id: "workflow-state",
        type: "json",
        path: ".fractary/runs/{run_id}/state.json",
        required: true,
        reload_triggers: ["session_start", "phase_transition"],
      },
      {
        id: "plan",
        type: "json",
        path: "logs/plans/{plan_id}.json",
        required: true,
        reload_triggers: ["session_start"],
      },
      { id: "odd", type: "json", path: "{who_knows}.json", reload_triggers: ["session_start"] },
    ],
    conditional_load: [
      {
        id: "specification",
        type: "markdown",
        path_from_state: "artifacts.spec_path",
        condition: "state.artifacts.spec_path != null",
        reload_triggers: ["session_start", "phase_transition:architect->build", "phase_start:evaluate"],
      },
    ],
  },
};

function imported(value: unknown, ...bases: readonly unknown[]) {
  const result = fromFaber(value, "faber", { found: bases, missing: null });
  if (!("yaml" in result)) throw new Error(result.join("; "));
  const reading = loadTemplate(result.yaml);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return { ...result, template: reading.template, warnings: reading.warnings };
}

describe("a FABER workflow", () => {
  it("becomes a workflow that lints without a word", () => {
    expect(imported(whole).warnings).toEqual([]);
  });

  it("keeps its phases and steps in the order in which FABER walks them", () => {
    expect(imported(whole).template.steps.map(({ id, phase }) => `${phase}/${id}`)).toEqual([
      "frame/fetch",
      "frame/commit",
      "architect/spec",
      "build/implement",
      "build/lint",
      "build/build-commit",
      "release/merge",
    ]);
  });

  it("says in the instructions what FABER would have done", () => {
    const { template } = imported(whole);
    const told = Object.fromEntries(template.steps.map(({ id, instructions }) => [id, instructions]));
    expect(told).toMatchObject({
      fetch: "Fetch Issue: Read the issue\n\n/work:fetch --work-id {vars.work_id}",
      commit: "Run /repo:commit-push",
      spec: "Write the spec\n\nUse the skill spec:writer.\n\nWith these arguments:\n- id: {vars.work_id}\n\nBefore you continue, check that:\n- The spec names its risks",
      implement: "Implement {{{{it}} for {{task.nope} in {project_root}",
      merge: "Merge\n\n/repo:pr-merge {pr_number} --delete-branch",
    });
    expect(template).toMatchObject({ variables: { work_id: "" }, key_reminders: ["Keep commits small."] });
  });

  it("keeps retries, turns and approvals", () => {
    const { steps } = imported(whole).template;
    expect(steps.find(({ id }) => id === "implement")).toMatchObject({
      on_fail: "retry",
      max_retries: 2,
      budget: { turns: 40 },
    });
    const asked = steps.filter((step) => "gate" in step).map(({ id }) => id);
    expect(asked).toEqual(["build-commit"]);
  });

  it("brings its critical artifacts, with the state of a run under our name for it", () => {
    expect(imported(whole).template.critical_artifacts).toEqual({
      always_load: [
        {
          id: "workflow-state",
          type: "json",
          path: "{run_state}",
          required: true,
          reload_triggers: ["session_start", "phase_transition"],
        },
        {
          id: "plan",
          type: "json",
          path: "logs/plans/{plan_id}.json",
          required: true,
          reload_triggers: ["session_start"],
        },
      ],
      conditional_load: [
        {
          id: "specification",
          type: "markdown",
          path_from_state: "artifacts.spec_path",
          condition: "state.artifacts.spec_path != null",
          reload_triggers: ["session_start", "phase_transition:architect->build"],
        },
      ],
    });
  });

  it("names everything that has no equivalent, in the answer and in the file", () => {
    const { notes, yaml } = imported(whole);
    expect(notes.map((note) => note.split(": ")[0])).toEqual([
      "phases.frame.description",
      "phases.build.checks",
      "step implement",
      "step implement",
      "step implement.model",
      "phases.build step id",
      "phases.evaluate",
      "step merge",
      "approval before",
      "artifact workflow-state path",
      "artifact odd",
      "artifact specification trigger",
      "autonomy.level",
    ]);
    for (const note of notes) expect(yaml).toContain(`# - ${note}\n`);
  });

  it.each([
    [null, '"phases" must be a map with frame, architect, build, evaluate, release'],
    [{ phases: { frame: { enabled: true } } }, "no phase has a step; add one to a phase"],
  ])("is none when it is %j", (value, problem) => {
    expect(fromFaber(value, "faber")).toEqual([problem]);
  });
});

/** A workflow that others extend, as FABER ships one. */
const core = {
  id: "core",
  prompt: "You follow FABER. Work item: #{work_id}.",
  defaults: { model: "opus", max_turns: 25 },
  phase_defaults: { build: { prompt: "BUILD phase: implement the specification.", harness: "codex" } },
  phases: {
    frame: {
      enabled: true,
      pre_steps: [{ id: "load", prompt: "Load {work_id}" }],
      steps: [{ id: "core-frame", prompt: "never used" }],
      post_steps: [{ id: "comment", prompt: "Comment" }],
    },
    build: { enabled: true, steps: [{ id: "implement", prompt: "Implement" }], validation: ["{work_id} is linked"] },
    release: {
      enabled: true,
      require_approval: true,
      pre_steps: [
        { id: "env", prompt: "Switch" },
        { id: "merge", prompt: "Merge" },
      ],
    },
  },
  autonomy: { level: "guarded", require_approval_for: ["merge"] },
  critical_artifacts: {
    always_load: [
      {
        id: "state",
        type: "json",
        path: ".fractary/faber/runs/{plan_id}/state-{run_suffix}.json",
        reload_triggers: ["compaction_detected"],
      },
      { id: "protocol", type: "markdown", path: "docs/core.md", reload_triggers: ["session_start"] },
    ],
    conditional_load: [
      {
        id: "issue",
        type: "work_plugin",
        command: "/work:fetch {work_id}",
        condition: "state.work_id != null",
        reload_triggers: ["session_start"],
      },
    ],
  },
};

const child = {
  id: "child",
  extends: "fractary-faber:core",
  prompt: "Keep it small.",
  skip_steps: ["comment", "nowhere"],
  context: { global: "Use tabs.", phases: { frame: "Ask early." }, steps: { implement: "Test first." } },
  phases: {
    frame: {
      pre_steps: [{ id: "own-pre", prompt: "Before" }],
      steps: [{ id: "own", prompt: "Frame it" }],
      post_steps: [{ id: "own-post", prompt: "After" }],
    },
  },
  autonomy: { require_approval_for: ["own"] },
  critical_artifacts: {
    always_load: [{ id: "protocol", type: "markdown", path: "docs/own.md", reload_triggers: ["session_start"] }],
  },
};

describe("a FABER workflow that extends another", () => {
  const { template, notes, warnings } = imported(child, core);

  it("has the steps of both in the order in which FABER walks them, without those it skips", () => {
    expect(template.steps.map(({ id, phase }) => `${phase}/${id}`)).toEqual([
      "frame/load",
      "frame/own-pre",
      "frame/own",
      "frame/own-post",
      "build/implement",
      "release/env",
      "release/merge",
    ]);
    expect(warnings).toEqual([]);
  });

  it("keeps the approvals of both", () => {
    const gated = template.steps.filter((step) => "gate" in step).map(({ id }) => id);
    // Before "own", before the phase release, and before "merge".
    expect(gated).toEqual(["own-pre", "implement", "env"]);
  });

  it("has the prompts of both and its own context, with FABER's placeholders under our names", () => {
    expect(template.key_reminders).toEqual([
      "You follow FABER. Work item: #{vars.work_id}.",
      "Keep it small.",
      "Use tabs.",
    ]);
    const told = Object.fromEntries(template.steps.map(({ id, instructions }) => [id, instructions]));
    expect(told).toMatchObject({
      load: "Load {vars.work_id}\n\nAsk early.",
      implement:
        "Implement\n\nBUILD phase: implement the specification.\n\nTest first.\n\n" +
        "Before you continue, check that:\n- {vars.work_id} is linked",
    });
    expect(template.variables).toEqual({ work_id: "" });
    expect(template.steps.map((step) => step.budget?.turns)).toEqual(Array(7).fill(25));
  });

  it("has the artifacts of both, its own in place of one with the same id", () => {
    expect(template.critical_artifacts).toEqual({
      always_load: [
        { id: "state", type: "json", path: "{run_state}", reload_triggers: ["compaction"] },
        { id: "protocol", type: "markdown", path: "docs/own.md", reload_triggers: ["session_start"] },
      ],
      conditional_load: [
        {
          id: "issue",
          type: "work_plugin",
          command: "/work:fetch {work_id}",
          condition: "state.work_id != null",
          reload_triggers: ["session_start"],
        },
      ],
    });
  });

  it("notes what has no equivalent in either", () => {
    expect(notes.map((note) => note.split(": ")[0])).toEqual([
      "skip_steps",
      "phase_defaults.build.harness",
      "defaults.model",
      "artifact state path",
      "autonomy.level",
    ]);
  });

  it("says when the other was not found, and is none without steps of its own", () => {
    const missing = { found: [], missing: "fractary-faber:core" };
    expect(fromFaber(child, "faber", missing)).toMatchObject({
      notes: expect.arrayContaining([
        expect.stringContaining('extends: "fractary-faber:core" (it was not found, so its steps, approvals'),
      ]),
    });
    expect(fromFaber({ extends: "core", phases: { frame: {} } }, "faber", { found: [], missing: "core" })).toEqual([
      "no phase has a step; put the workflow that it extends (core) beside it, then import it again",
    ]);
  });
});

describe("a condition of FABER", () => {
  const conditionOf = (condition: string) => {
    const artifact = { id: "a", type: "markdown", path: "a.md", condition, reload_triggers: ["session_start"] };
    const phases = { frame: { steps: [{ id: "s", prompt: "x" }] } };
    const { template, notes } = imported({ phases, critical_artifacts: { conditional_load: [artifact] } });
    return [template.critical_artifacts?.conditional_load?.[0]?.condition, ...notes];
  };

  it.each([
    ["state.work_id != null", "state.work_id != null"],
    [
      "state.plan_id !== null && state.artifacts.spec_path != null",
      "state.plan_id !== null && state.artifacts.spec_path != null",
    ],
    ["state.status == 'in_progress'", "state.status == 'running'"],
    ['state.status !== "completed"', 'state.status !== "complete"'],
    ["state.status == 'paused'", "state.status == 'paused'"],
    ["state.current_phase == 'build'", "state.phase.name == 'build'"],
    ["state.summary == 'state.pr_id'", "state.summary == 'state.pr_id'"],
  ])("%s becomes %s", (given, kept) => {
    expect(conditionOf(given)).toEqual([kept]);
  });

  it("with a value that no run has is kept and noted", () => {
    expect(conditionOf("state.pr_id != null")).toEqual([
      "state.pr_id != null",
      'artifact a condition: "state.pr_id" (a run has no such value here; it is null)',
    ]);
  });

  it("that cannot be read takes the artifact with it, and is noted", () => {
    const [kept, note] = conditionOf("state.artefacts.some((each) => each)");
    expect([kept, note]).toEqual([undefined, expect.stringMatching(/^artifact a: .* \(it was not understood/)]);
  });
});

describe("what an import loses is listed:", () => {
  const step = { id: "s", prompt: "x" };
  const inFrame = (phase: object) => ({ phases: { frame: { steps: [step], ...phase } } });
  const withStep = (fields: object) => ({ phases: { frame: { steps: [{ ...step, ...fields }] } } });

  it.each([
    ["a phase that is no map", { phases: { frame: { steps: [step] }, build: "later" } }, "phases.build"],
    ["a description of a phase", inFrame({ description: "Set up" }), "phases.frame.description"],
    ["steps that are no list", inFrame({ post_steps: { id: "x" } }), "phases.frame.post_steps"],
    ["a step that is no map", inFrame({ steps: [step, "Lint"] }), "phases.frame step"],
    ["retries that no step uses", inFrame({ max_retries: 3 }), "phases.frame.max_retries"],
    ["a phase that is enabled by a word", inFrame({ enabled: "yes" }), "phases.frame.enabled"],
    ["an approval that is a word", inFrame({ require_approval: "yes" }), "phases.frame.require_approval"],
    ["a validation that is no list", inFrame({ validation: "Test it" }), "phases.frame.validation"],
    ["a handler of results", inFrame({ result_handling: { on_failure: "/debug" } }), "step s on_failure"],
    ["results that are no map", inFrame({ result_handling: "stop" }), "phases.frame.result_handling"],
    ["arguments that are no map", withStep({ arguments: "--all" }), "step s arguments"],
    ["turns that are no number", withStep({ max_turns: "many" }), "step s.max_turns"],
    ["a field of a step", withStep({ changelog: { event_type: "MERGED" } }), "step s.changelog"],
    ["a placeholder", withStep({ prompt: "Review {pr_id}" }), "step s"],
    ["a placeholder of a reminder", { ...inFrame({}), prompt: "In {project_root}" }, "prompt"],
    ["autonomy that is no map", { ...inFrame({}), autonomy: "guarded" }, "autonomy"],
    ["a description of the autonomy", { ...inFrame({}), autonomy: { description: "careful" } }, "autonomy.description"],
    [
      "a pause that is a word",
      { ...inFrame({}), autonomy: { pause_before_release: "yes" } },
      "autonomy.pause_before_release",
    ],
    [
      "artifacts that are no list",
      { ...inFrame({}), critical_artifacts: { always_load: {} } },
      "critical_artifacts.always_load",
    ],
    [
      "an artifact that is no map",
      { ...inFrame({}), critical_artifacts: { always_load: ["a.md"] } },
      "critical_artifacts entry",
    ],
    [
      "a sentence for the agent",
      {
        ...inFrame({}),
        critical_artifacts: { always_load: [{ id: "i", type: "work_plugin", command: "Use the skill" }] },
      },
      "artifact i",
    ],
    ["context of another phase", { ...inFrame({}), context: { phases: { build: "x" } } }, "context.phases.build"],
    ["context of another step", { ...inFrame({}), context: { steps: { other: "x" } } }, "context.steps.other"],
    [
      "defaults of another phase",
      { ...inFrame({}), phase_defaults: { build: { prompt: "x" } } },
      "phase_defaults.build",
    ],
    ["a prompt of the defaults", { ...inFrame({}), defaults: { prompt: "x" } }, "defaults.prompt"],
    ["two bases", { ...inFrame({}), extends: ["a", "b"] }, "extends"],
    ["a skipped step that is not there", { ...inFrame({}), skip_steps: ["x"] }, "skip_steps"],
    ["a field of the workflow", { ...inFrame({}), asset_type: "blog-post" }, "asset_type"],
  ])("%s", (_what, value, path) => {
    const paths = imported(value).notes.map((note) => note.split(": ")[0]);
    expect([...new Set(paths)]).toEqual([path]);
  });
});
