import { describe, expect, test } from "vitest";
import { checkTemplate, loadTemplate } from "../../src/templates/load.ts";
import { problemText } from "../../src/templates/problem.ts";
import { everything } from "./example.ts";

const minimal =
  "name: small\ndescription: The least there is\nsteps:\n  - { id: do, type: action, instructions: Do it }\n";

/** What a text loads as; it must load, and without a doubt. */
function load(content: string | Uint8Array) {
  const reading = loadTemplate(content);
  expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([]);
  expect(reading.warnings.map(problemText)).toEqual([]);
  if (!reading.ok) throw new Error("the workflow must load");
  return reading;
}

const withInstructions = (instructions: string) => minimal.replace("Do it", JSON.stringify(instructions));

describe("a workflow that loads", () => {
  test("needs a name, a description and one action", () => {
    expect(load(minimal).template).toEqual({
      name: "small",
      description: "The least there is",
      steps: [{ id: "do", type: "action", instructions: "Do it" }],
    });
  });

  test("may use every word of the language", () => {
    const { template } = load(everything);
    expect(template.steps.map(({ id }) => id)).toEqual(["plan", "plan_review", "build", "polish", "ship"]);
    expect(template.loops?.build?.map(({ id }) => id)).toEqual(["implement", "verify"]);
  });

  test("may leave what is optional empty, which means absent", () => {
    const empty = ["type", "agents", "variables", "required_reading", "key_reminders", "critical_artifacts", "hold"];
    const lines = [...empty, "transitions", "loops"].map((key) => `${key}:\n`).join("");
    expect(load(`${lines}${minimal}`).template).toEqual(load(minimal).template);
  });

  test.each([
    ["JSON", JSON.stringify(load(everything).template)],
    ["indented JSON", JSON.stringify(load(everything).template, null, 2)],
    ["JSON indented by tabs", JSON.stringify(load(everything).template, null, "\t")],
    ["lines that end as on Windows", everything.replaceAll("\n", "\r\n")],
    ["a byte order mark", `\uFEFF${everything}`],
    ["bytes", Buffer.from(everything)],
    ["bytes with a byte order mark", Buffer.from(`\uFEFF${everything}`)],
    ["a document with its beginning and its end", `---\n${everything}...\n`],
    ["no line break at the end", everything.trimEnd()],
  ])("may be written as %s, and is the same workflow", (_, content) => {
    const { hash, template } = load(content);
    expect(template).toEqual(load(everything).template);
    expect(hash).toBe(load(everything).hash);
  });

  test("has the positions of its problems also behind a byte order mark and Windows line ends", () => {
    const reading = loadTemplate(`\uFEFFname: 1\r\ndescription: 2\r\n${minimal.split("\n").slice(2).join("\r\n")}`);
    expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([
      "1:7  name  must be text, not the number 1; put it in quotes",
      "2:14  description  must be text, not the number 2; put it in quotes",
    ]);
  });

  test("may repeat once", () => {
    const once = "name: a\ndescription: b\nsteps:\n  - { id: polish, type: ralph, n: 1, instructions: Improve it }\n";
    expect(load(once).template.steps).toEqual([{ id: "polish", type: "ralph", n: 1, instructions: "Improve it" }]);
  });

  test("may use anchors and aliases", () => {
    const { template } = load(`
name: a
description: b
steps:
  - { id: one, type: action, instructions: &text Do it, gate: &gate [{ run: npm test }] }
  - { id: two, type: action, instructions: *text, gate: *gate }
`);
    expect(template.steps[1]).toEqual({
      id: "two",
      type: "action",
      instructions: "Do it",
      gate: [{ run: "npm test" }],
    });
  });

  test("is read as YAML 1.2, whatever version it names", () => {
    const { template } = load(`%YAML 1.1\n---\n${minimal}variables: { a: yes, b: 010, c: 1_000, d: 2026-01-31 }\n`);
    expect(template.variables).toEqual({ a: "yes", b: 10, c: "1_000", d: "2026-01-31" });
  });

  test.each([
    "{anything else}",
    "{{task.id}",
    "{{{{vars.nope}",
    "{task}",
    "{task.}",
    "{ task.id }",
    "{vars.a\nb}",
    "function () { return {}; }",
    "{project_root}/docs for {run.id}, {run.summary}, {outputs.do}",
  ])("may have %j in its instructions", (instructions) => {
    expect(load(withInstructions(instructions)).template.steps[0]?.instructions).toBe(instructions);
  });

  test("may name things in any script", () => {
    const text = `
name: Überprüfung 検査
description: ""
agents: { "écrivain 👩‍💻": { description: x } }
steps:
  - { id: "план.один/a b", type: action, agent: "écrivain 👩‍💻", instructions: x, outcomes: { "да": "план.один/a b" } }
`;
    expect(load(text).template.steps[0]?.id).toBe("план.один/a b");
  });

  test("may call a step complete, as long as no outcome has to choose", () => {
    load(minimal.replace("id: do", "id: complete"));
  });

  test("has another hash when its content differs, and the same when only its layout does", () => {
    const { hash } = load(minimal);
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      load(`# a comment\nsteps: [{ type: action, instructions: "Do it", id: do }]\n${minimal.split("steps")[0]}`).hash,
    ).toBe(hash);
    expect(load(minimal.replace("Do it", "Do it.")).hash).not.toBe(hash);
  });
});

describe("a file with many mistakes", () => {
  test("has all of them reported in one go, in the order they stand in", () => {
    const reading = loadTemplate(`name: 7
descripton: Build it
type: implementing
agents:
  writer: { tools: read }
variables: { plan-number: 1, goals: [a] }
required_reading: docs/plan.md
hold: "yes"
transitions:
  - { from: plan, to: coding, context: clean }
critical_artifacts:
  always_load:
    - { id: spec, type: markdown, reload_triggers: ["phase_start:Desing"] }
loops:
  build:
    - { instructions: "Do {task.name}", context: 3 }
    - { id: verify, gate: [{ run: npm test, timeout: soon }] }
steps:
  - id: plan
    type: acton
    phase: Design
    agent: wirter
    instructions: |
      Read {vars.nope}
      and {task.id}
    artefact: true
    outcomes: { done: buidl }
    gate: []
  - { id: plan, type: action }
  - { id: build, type: loop, on_fail: never }
  - { id: polish, type: ralph, n: 0, instructions: x, budget: {} }
`);
    expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([
      "1:7  name  must be text, not the number 7; put it in quotes",
      '2:1  descripton  unknown key "descripton"; did you mean description?',
      '3:7  type  "implementing" is not a workflow type; use planning, qa-loop, implementation or custom; did you mean implementation?',
      "5:11  agents.writer.description  is missing; it must be text",
      '5:20  agents.writer.tools  must be a list, not "read"',
      '6:14  variables.plan-number  must be a plain name (letters, digits and _, no digit first, at most 64 characters), not "plan-number"',
      "6:37  variables.goals  must be text, a number, true or false, or a map with a type, not a list",
      '7:19  required_reading  must be a list, not "docs/plan.md"',
      '8:7  hold  must be true or false, not "yes"',
      '10:23  transitions[0].to  "coding" is not a step; the steps are plan, build, polish',
      '10:40  transitions[0].context  "clean" is not a context action; use compact or clear; did you mean clear?',
      '13:7  critical_artifacts.always_load[0]  artifact "spec" needs one of path, path_from_state and command',
      '13:53  critical_artifacts.always_load[0].reload_triggers[0]  "Desing" is not a phase; did you mean Design?',
      "16:7  loops.build[0].id  is missing; it must be text",
      "16:27  loops.build[0].instructions  {task.name} is unknown; a task has id, title, description",
      "16:50  loops.build[0].context  must be compact or clear, not the number 3",
      '17:7  loops.build[1].instructions  is missing in sub-step "build.verify"; it must be text',
      '17:54  loops.build[1].gate[0].timeout  must be a time such as "90s", "10m" or "1h", not "soon"',
      '20:11  steps[0].type  step "plan" has "acton" as its type; use action, loop, ralph or command; did you mean action?',
      '22:12  steps[0].agent  step "plan" names the agent "wirter", which is not under agents; did you mean writer?',
      "24:12  steps[0].instructions  {vars.nope} is unknown; variables has plan-number, goals",
      "25:11  steps[0].instructions  {task.id} is only available in the sub-steps of a loop",
      '26:5  steps[0].artefact  unknown key "artefact"; did you mean artefacts?',
      '27:23  steps[0].outcomes.done  leads to "buidl", which is not a step; did you mean build?',
      "28:11  steps[0].gate  must name at least one check",
      '29:5  steps[1].instructions  is missing in step "plan"; it must be text',
      '29:11  steps[1].id  "plan" is already the id of another step',
      '30:39  steps[2].on_fail  "never" is not a way to handle a failure; use retry, skip, abort or { go_to: <step> }',
      "31:35  steps[3].n  must be 1 or more",
      "31:63  steps[3].budget  must set at least one of turns, minutes, tokens, cost",
    ]);
  });

  test("keeps the order also where one line is very long", () => {
    const reading = loadTemplate(`{name: 1, description: "${"x".repeat(150_000)}", steps: 2,\nhold: 3}`);
    expect(reading.ok ? [] : reading.problems.map(({ path }) => path)).toEqual(["name", "steps", "hold"]);
  });

  test("is not followed without end", () => {
    const reading = loadTemplate(`name: a\ndescription: b\nsteps:\n${"  - 1\n".repeat(1_000)}`);
    const problems = reading.ok ? [] : reading.problems.map(problemText);
    expect(problems).toHaveLength(201);
    expect(problems.at(-2)).toBe("203:5  steps[199]  must be a map of keys and values, not the number 1");
    expect(problems.at(-1)).toBe("204:5  and 800 more");
  });
});

describe("a plain value", () => {
  const problemsOf = (value: unknown) => {
    const reading = checkTemplate(value);
    return reading.ok ? [] : reading.problems;
  };

  test("is checked as a file is, only without positions", () => {
    expect(problemsOf({ name: "a", description: "b", steps: [{ id: "a", type: "action" }] })).toEqual([
      {
        severity: "error",
        path: "steps[0].instructions",
        message: 'is missing in step "a"; it must be text',
        position: null,
      },
    ]);
  });

  test.each([
    [undefined, "the workflow is empty; a workflow is a map with name, description and steps"],
    [null, "the workflow is empty; a workflow is a map with name, description and steps"],
    ["name: a", 'a workflow is a map with name, description and steps, not "name: a"'],
    [42, "a workflow is a map with name, description and steps, not the number 42"],
    [true, "a workflow is a map with name, description and steps, not the boolean true"],
    [[], "a workflow is a map with name, description and steps, not a list"],
  ])("that is %j is no workflow", (value, message) => {
    expect(problemsOf(value).map(problemText)).toEqual([message]);
  });

  test("may contain itself", () => {
    const value: Record<string, unknown> = { name: "a", description: "b" };
    value.steps = [{ id: "a", type: "action", instructions: "x", gate: [value] }];
    value.variables = { self: value };
    expect(problemsOf(value).map(problemText)).toEqual([
      "variables.self.type  is missing; use text, number, flag, choice, path or command",
      'variables.self.name  unknown key "name"; known keys: type, required, default, description, choices, pattern',
      'variables.self.steps  unknown key "steps"; known keys: type, required, default, description, choices, pattern',
      'variables.self.variables  unknown key "variables"; known keys: type, required, default, description, choices, pattern',
      'steps[0].gate[0].name  unknown key "name"; known keys: run, timeout, command, exists, output, message, approval',
      'steps[0].gate[0].description  unknown key "description"; known keys: run, timeout, command, exists, output, message, approval',
      'steps[0].gate[0].steps  unknown key "steps"; known keys: run, timeout, command, exists, output, message, approval',
      'steps[0].gate[0].variables  unknown key "variables"; known keys: run, timeout, command, exists, output, message, approval',
    ]);
  });

  test("may be as deep as it likes", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    expect(problemsOf({ name: "a", description: "b", steps: deep }).map(problemText)).toEqual([
      "steps[0]  must be a map of keys and values, not a list",
    ]);
  });

  test("with a key of its own that is named __proto__ is refused", () => {
    const agents: unknown = JSON.parse('{ "__proto__": { "description": "x" } }');
    const steps = [{ id: "a", type: "action", instructions: "x" }];
    expect(problemsOf({ name: "a", description: "b", agents, steps }).map(problemText)).toEqual([
      'agents.__proto__  "__proto__" is a reserved name; use another',
    ]);
  });

  test("takes nothing from its prototype", () => {
    const value: unknown = Object.create({ name: "a", description: "b", steps: [] });
    expect(problemsOf(value).map(problemText)).toEqual([
      "name  is missing; it must be text",
      "description  is missing; it must be text",
      "steps  is missing; it must be a list",
    ]);
  });
});
