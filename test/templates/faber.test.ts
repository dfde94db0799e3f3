import { describe, expect, it } from "vitest";
import { fromFaber } from "../../src/templates/faber.ts";
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

function imported(value: unknown) {
  const result = fromFaber(value, "faber");
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
      "extends",
      "autonomy.level",
    ]);
    for (const note of notes) expect(yaml).toContain(`# - ${note}\n`);
  });

  it.each([
    [null, '"phases" must be a map with frame, architect, build, evaluate, release'],
    [{ phases: { frame: { enabled: true } } }, "no phase has a step; import the workflow it extends instead"],
  ])("is none when it is %j", (value, problem) => {
    expect(fromFaber(value, "faber")).toEqual([problem]);
  });
});
