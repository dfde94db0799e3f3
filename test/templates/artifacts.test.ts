import { describe, expect, test } from "vitest";
import { checkTemplate, loadTemplate } from "../../src/templates/load.ts";

const plan = "steps:\n  - { id: plan, type: action, instructions: Plan it }\n";

/** A workflow with one artifact, whose fields begin in line 6, column 7. */
const artifact = (fields: string) =>
  `name: feature\ndescription: Build it\nvariables: { story: 7 }\ncritical_artifacts:\n  always_load:\n    - ${fields}\n${plan}`;

function problemsIn(text: string) {
  const reading = loadTemplate(text);
  return reading.ok
    ? []
    : reading.problems.map(({ position, path, message }) => [
        position?.line,
        position?.column,
        path.replace("critical_artifacts.always_load[0].", ""),
        message,
      ]);
}

const expected = "column 9: a single = is not supported; compare with ==";

describe("a bad condition is told with its line and column", () => {
  test.each([
    ["without quotes", "{ id: a, type: text, path: a, condition: state.a = 1 }", 6, 56],
    ["in single quotes", "{ id: a, type: text, path: a, condition: 'state.a = 1' }", 6, 57],
    ["in double quotes", '{ id: a, type: text, path: a, condition: "state.a = 1" }', 6, 57],
    ["on a line of its own", "id: a\n      type: text\n      path: a\n      condition: state.a = 1", 9, 26],
    [
      "as a block, at its beginning",
      "id: a\n      type: text\n      path: a\n      condition: |\n        state.a = 1",
      9,
      18,
    ],
  ])("%s", (_, fields, line, column) => {
    expect(problemsIn(artifact(fields))).toEqual([[line, column, "condition", expected]]);
  });

  test.each([
    ["doubled single quotes", "'state.a == ''b'' = 1'", 66],
    ["escaped double quotes", '"state.a == \\"b\\" = 1"', 66],
    ["an escape of several signs", '"state.a == \\x22b\\u0022 = 1"', 72],
  ])("behind %s", (_, condition, column) => {
    const fields = `{ id: a, type: text, path: a, condition: ${condition} }`;
    expect(problemsIn(artifact(fields))).toEqual([
      [6, column, "condition", "column 16: a single = is not supported; compare with =="],
    ]);
  });

  test("at the alias that repeats it", () => {
    const text = artifact(
      "{ id: a, type: text, path: a, condition: &when 'state.a = 1' }\n    - { id: b, type: text, path: b, condition: *when }",
    );
    expect(problemsIn(text)).toEqual([
      [6, 63, "condition", expected],
      [7, 48, "critical_artifacts.always_load[1].condition", expected],
    ]);
  });

  test("in a workflow that was never a file, with its column in the condition", () => {
    const reading = checkTemplate({
      name: "feature",
      description: "Build it",
      critical_artifacts: { always_load: [{ id: "a", type: "text", path: "a", condition: "state.a = 1" }] },
      steps: [{ id: "plan", type: "action", instructions: "Plan it" }],
    });
    expect(reading.ok ? [] : reading.problems).toEqual([
      {
        severity: "error",
        path: "critical_artifacts.always_load[0].condition",
        message: expected,
        position: null,
      },
    ]);
  });
});

describe("the texts of an artifact are read when the workflow is", () => {
  test.each([
    [
      "a placeholder that is not known",
      "{ id: a, type: text, path: 'docs/{storey}.md' }",
      [6, 40, "path", "{storey} is unknown; did you mean story?"],
    ],
    [
      "the second of the same placeholder",
      "{ id: a, type: text, path: '{story}/{nowhere_near}.md' }",
      [
        6,
        43,
        "path",
        "{nowhere_near} is unknown; a path can use run_id, run_state, project_root, plan_id, work_id, story",
      ],
    ],
    [
      "a placeholder of instructions",
      "{ id: a, type: text, path: '{vars.story}.md' }",
      [
        6,
        35,
        "path",
        "{vars.story} is unknown; a path can use run_id, run_state, project_root, plan_id, work_id, story",
      ],
    ],
    [
      "the run's state as a part of a path",
      "{ id: a, type: json, path: '{run_state}/a.json' }",
      [6, 35, "path", "{run_state} stands for the run's state and must be the whole path"],
    ],
    [
      "a path into the state that is none",
      "{ id: a, type: text, path_from_state: 'artifacts..spec' }",
      [6, 55, "path_from_state", "column 10: expected .name, [0] or ['name']"],
    ],
    [
      "a path into the prototype",
      "{ id: a, type: text, path_from_state: $.constructor.name }",
      [6, 46, "path_from_state", "column 2: constructor is a reserved name"],
    ],
    [
      "a selection that is none",
      "{ id: a, type: json, path: a.json, select: 'files[x]' }",
      [6, 56, "select", "column 6: expected .name, [0] or ['name']"],
    ],
  ])("%s", (_, fields, problem) => {
    expect(problemsIn(artifact(fields))).toEqual([problem]);
  });

  test.each([
    "{ id: a, type: json, path: '{run_state}' }",
    "{ id: a, type: text, path: '{project_root}/{run_id}/{plan_id}/{work_id}/{story}.md' }",
    "{ id: a, type: text, path: 'docs/{{story}/{a,b}.md' }",
    "{ id: a, type: text, path_from_state: artifacts.spec_path }",
    "{ id: a, type: text, path_from_state: \"$.artifacts['spec'][0]\" }",
    '{ id: a, type: json, path: a.json, select: "$.files[0].name" }',
  ])("%s is good", (fields) => {
    expect(problemsIn(artifact(fields))).toEqual([]);
  });

  test("the seed's own example loads, with phases of its names", () => {
    const text = `name: default
description: The seed's example
critical_artifacts:
  always_load:
    - { id: workflow-state, type: json, path: ".fractary/runs/{run_id}/state.json", required: true, reload_triggers: [session_start, phase_transition] }
    - { id: workflow-plan, type: json, path: "logs/fractary/plugins/faber/plans/{plan_id}.json", required: true, reload_triggers: [session_start] }
    - { id: orchestration-protocol, type: markdown, path: docs/protocol.md, required: true, reload_triggers: [session_start] }
  conditional_load:
    - { id: specification, type: markdown, path_from_state: artifacts.spec_path, condition: "state.artifacts.spec_path != null", reload_triggers: [session_start, "phase_transition:architect->build"] }
steps:
${["frame", "architect", "build", "evaluate", "release"].map((phase) => `  - { id: ${phase}, type: action, instructions: Do it }`).join("\n")}
`;
    expect(loadTemplate(text).ok).toBe(true);
  });

  test("the names of phases are taken exactly", () => {
    const fields = "{ id: a, type: text, path: a, reload_triggers: ['phase_start:Plan'] }";
    expect(problemsIn(artifact(fields))).toEqual([
      [6, 55, "reload_triggers[0]", '"Plan" is not a phase; did you mean plan?'],
    ]);
  });
});
