import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Template } from "../../../src/model/template.ts";
import { problemText } from "../../../src/templates/problem.ts";
import type { WorkflowReading } from "../../../src/templates/reuse/load-workflow.ts";
import { type Files, loadIn, loadInProject, projectWith } from "./project.ts";

const base = `name: base
description: Build it
type: implementation
agents:
  reviewer: { description: reads, tools: [read], cannot: [write] }
variables: { goal: less, tries: 1 }
required_reading: ["@README.md"]
key_reminders: [Ask first]
critical_artifacts:
  always_load: [{ id: plan, type: markdown, path: plan.md }]
hold: true
loops:
  build:
    - { id: make, instructions: Make it }
    - { id: verify, instructions: Verify it, gate: [{ exists: a }, { exists: b }] }
steps:
  - { id: plan, type: action, phase: Design, instructions: Plan it, gate: [{ exists: plan.md }] }
  - { id: review, type: action, agent: reviewer, instructions: Review it, outcomes: { good: next, bad: plan } }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, instructions: Polish it }
`;
const own = ".holdfast/workflows";
const withBase: Files = { [`${own}/base.yaml`]: base };

function templateOf(reading: WorkflowReading): Template {
  expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([]);
  expect(reading.warnings.map(problemText)).toEqual([]);
  if (!reading.ok) throw new Error("the workflow must load");
  return reading.template;
}

const problemsOf = (reading: WorkflowReading) => (reading.ok ? [] : reading.problems.map(problemText));
const ship = (lines: string, files = withBase) =>
  templateOf(loadInProject(`name: ship\nextends: base\n${lines}`, files));
const idsOf = (list: readonly { readonly id: string }[] | undefined) => list?.map(({ id }) => id);

describe("a workflow that extends another", () => {
  test("is that workflow under its own name", () => {
    const { name, ...rest } = ship("");
    const { name: _base, ...other } = templateOf(loadInProject(base));
    expect(name).toBe("ship");
    expect(rest).toEqual(other);
  });

  test("merges maps by key, joins reading and reminders, and replaces the rest", () => {
    const template = ship(`description: Ship it
type: custom
use_when: A change that users will notice
agents:
  reviewer: { tools: [read, run] }
  writer: { description: writes }
variables: { tries: 2, ticket: none }
required_reading: ["@docs/plan.md", "@README.md"]
key_reminders: [Test it]
critical_artifacts:
  conditional_load: [{ id: log, type: text, path: log.txt }]
hold: false
loops:
  build: [{ id: all, agent: writer, instructions: Do all of it }]
`);
    expect(template).toMatchObject({
      description: "Ship it",
      type: "custom",
      use_when: "A change that users will notice",
      agents: {
        reviewer: { description: "reads", tools: ["read", "run"], cannot: ["write"] },
        writer: { description: "writes" },
      },
      variables: { goal: "less", tries: 2, ticket: "none" },
      required_reading: ["@README.md", "@docs/plan.md"],
      key_reminders: ["Ask first", "Test it"],
      critical_artifacts: {
        always_load: [{ id: "plan", type: "markdown", path: "plan.md" }],
        conditional_load: [{ id: "log", type: "text", path: "log.txt" }],
      },
      hold: false,
    });
    expect(idsOf(template.loops?.build)).toEqual(["all"]);
  });

  test("keeps what it leaves empty", () => {
    expect(ship("agents:\nvariables:\nchange:\n")).toEqual(ship(""));
  });

  test("can extend one that extends another, up to eight", () => {
    const files = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [
        `${own}/b${index + 1}.yaml`,
        `name: b${index + 1}\nextends: ${index === 6 ? "base" : `b${index + 2}`}\nkey_reminders: [reminder ${index + 1}]\n`,
      ]),
    );
    const reading = loadInProject("name: ship\nextends: b1\n", { ...files, ...withBase });
    expect(templateOf(reading).key_reminders).toEqual([
      "Ask first",
      ...[7, 6, 5, 4, 3, 2, 1].map((index) => `reminder ${index}`),
    ]);
    expect(reading.bases.map((each) => each.extends)).toEqual(["b1", "b2", "b3", "b4", "b5", "b6", "b7", "base"]);
  });

  test("finds a built-in one, one of the project, or a file from where it is itself", () => {
    const root = projectWith({
      ...withBase,
      "shared/base.yaml": "name: x\nextends: ./deep/base.yml\n",
      "shared/deep/base.yml": base,
    });
    const steps = (text: string) => idsOf(templateOf(loadIn(root, `${own}/ship.yaml`, text)).steps);
    const all = ["plan", "review", "build", "polish"];
    expect(steps("name: ship\nextends: base\n")).toEqual(all);
    expect(steps("name: ship\nextends: ./base.yaml\n")).toEqual(all);
    expect(steps("name: ship\nextends: ../../shared/base.yaml\n")).toEqual(all);
    expect(steps("name: ship\nextends: feature\n")).toContain("understand");
  });

  test("with the name of a built-in one extends that, and others that name it get the project's", () => {
    const root = projectWith({});
    const reminders = (path: string, text: string) => templateOf(loadIn(root, path, text)).key_reminders?.at(-1);
    expect(reminders(`${own}/feature.yaml`, "name: feature\nextends: feature\nkey_reminders: [Ours]\n")).toBe("Ours");
    expect(reminders(`${own}/ship.yaml`, "name: ship\nextends: feature\n")).toBe("Ours");
    expect(reminders("elsewhere/feature.yaml", "name: feature\nextends: feature\n")).toBe("Ours");
  });

  test("may fix what its base lacks, because only the result is checked", () => {
    const partial = base.replace("description: Build it\n", "").replace("n: 3", "n: 0");
    const template = ship("description: Ship it\nchange: [{ step: polish, set: { n: 1 } }]\n", {
      [`${own}/base.yaml`]: partial,
    });
    expect(template.steps.at(-1)).toMatchObject({ n: 1 });
  });
});

describe("a change", () => {
  test.each([
    ["after", "plan", ["plan", "new", "review", "build", "polish"]],
    ["before", "plan", ["new", "plan", "review", "build", "polish"]],
    ["after", "polish", ["plan", "review", "build", "polish", "new"]],
    ["first", "true", ["new", "plan", "review", "build", "polish"]],
    ["last", "true", ["plan", "review", "build", "polish", "new"]],
  ])("inserts steps: %s %s", (at, target, ids) => {
    const template = ship(`change: [{ ${at}: ${target}, insert: [{ id: new, type: action, instructions: New }] }]\n`);
    expect(idsOf(template.steps)).toEqual(ids);
  });

  test.each([
    ["after", "build/make", ["make", "new", "verify"]],
    ["before", "build/make", ["new", "make", "verify"]],
    ["first", "build", ["new", "make", "verify"]],
    ["last", "build", ["make", "verify", "new"]],
  ])("inserts sub-steps: %s %s", (at, target, ids) => {
    const template = ship(`change: [{ ${at}: ${target}, insert: [{ id: new, instructions: New }] }]\n`);
    expect(idsOf(template.loops?.build)).toEqual(ids);
    expect(idsOf(template.steps)).toEqual(["plan", "review", "build", "polish"]);
  });

  test("adds its limits to the budget of the whole run", () => {
    const files = { [`${own}/base.yaml`]: `budget: { cost: 5, turns: 9, pivot_to: plan }\n${base}` };
    expect(ship("budget: { turns: 3 }\n", files).budget).toEqual({ cost: 5, turns: 3, pivot_to: "plan" });
  });

  test("sets a key whole, and removes one with null", () => {
    const { steps, loops } = ship(`change:
  - { step: plan, set: { gate: null, phase: Think, budget: { turns: 3 } } }
  - { step: review, set: { outcomes: { fine: next } } }
  - { step: build/verify, set: { gate: [{ run: npm test }] } }
`);
    expect(steps[0]).toEqual({
      id: "plan",
      type: "action",
      phase: "Think",
      instructions: "Plan it",
      budget: { turns: 3 },
    });
    expect(steps[1]).toMatchObject({ outcomes: { fine: "next" } });
    expect(loops?.build?.[1]?.gate).toEqual([{ run: "npm test" }]);
  });

  test("removes a step, a sub-step, and a loop with its step", () => {
    const fewer = ship("change: [{ step: polish, remove: true }, { step: build/make, remove: true }]\n");
    expect(idsOf(fewer.steps)).toEqual(["plan", "review", "build"]);
    expect(idsOf(fewer.loops?.build)).toEqual(["verify"]);
    expect(ship("change: [{ step: build, remove: true }]\n").loops).toEqual({});
  });

  test("sees what the changes before it did", () => {
    const { steps } = ship(`change:
  - { after: plan, insert: [{ id: one, type: action, instructions: One }, { id: two, type: action, instructions: Two }] }
  - { after: one, insert: [{ id: between, type: action, instructions: Between }] }
  - { step: two, set: { id: second } }
  - { step: second, set: { phase: Late } }
`);
    expect(idsOf(steps)).toEqual(["plan", "one", "between", "second", "review", "build", "polish"]);
  });

  test("may leave a problem that a later change fixes", () => {
    const { steps } = ship(`change:
  - { step: plan, remove: true }
  - { step: review, set: { outcomes: { good: next, bad: fail } } }
`);
    expect(idsOf(steps)).toEqual(["review", "build", "polish"]);
  });

  test("can name an id that has a slash in it", () => {
    const files = { [`${own}/base.yaml`]: base.replace("id: polish", "id: a/b") };
    expect(idsOf(ship("change: [{ step: a/b, remove: true }]\n", files).steps)).toEqual(["plan", "review", "build"]);
  });

  test("warns where it has no effect or cuts off a step of the base, and repeats no warning of the base", () => {
    const files = { [`${own}/base.yaml`]: `${base}  - { id: end, type: action, instructions: End, max_retries: 2 }\n` };
    const reading = loadInProject(
      "name: ship\nextends: base\nchange:\n  - { step: plan, set: { agent: null } }\n  - { step: review, set: { outcomes: { no: fail } } }\n  - { step: review, set: { agent: null } }\n",
      files,
    );
    expect(reading.ok).toBe(true);
    expect(reading.warnings.map(problemText)).toEqual([
      '4:26  change[0].set.agent  has no effect: "plan" has no agent',
      '5:5  change[1]  affects steps[2] (.holdfast/workflows/base.yaml:19:5): the step "build" can never be reached',
      '5:5  change[1]  affects steps[3] (.holdfast/workflows/base.yaml:20:5): the step "polish" can never be reached',
      '5:5  change[1]  affects steps[4] (.holdfast/workflows/base.yaml:21:5): the step "end" can never be reached',
    ]);
  });
});

test("a base's change that has no effect is no warning of the workflow over it", () => {
  const files = {
    ...withBase,
    [`${own}/middle.yaml`]: "name: middle\nextends: base\nchange: [{ step: plan, set: { agent: null } }]\n",
  };
  expect(templateOf(loadInProject("name: ship\nextends: middle\n", files)).name).toBe("ship");
});

describe("a base that is upgraded", () => {
  const overlay =
    "name: ship\nextends: base\nchange:\n  - { after: review, insert: [{ id: threats, type: action, instructions: Think }] }\n";

  test("works if the steps that changes name are still there", () => {
    const newer = base
      .replace("Plan it", "Plan it well")
      .replace("  - { id: polish", "  - { id: tidy, type: action, instructions: Tidy }\n  - { id: polish");
    const { steps } = templateOf(loadInProject(overlay, { [`${own}/base.yaml`]: newer }));
    expect(idsOf(steps)).toEqual(["plan", "review", "threats", "build", "tidy", "polish"]);
    expect(steps[0]).toMatchObject({ instructions: "Plan it well" });
  });

  test.each([
    [
      "renamed",
      base.replaceAll("review", "reviews"),
      '4:14  change[0].after  base has no step "review"; did you mean reviews?',
    ],
    [
      "taken",
      base.replace("id: polish", "id: threats"),
      '4:5  change[0]  breaks steps[3].id (.holdfast/workflows/base.yaml:20:11): "threats" is already the id of another step',
    ],
  ])("is refused with the line to change if a name is %s", (_, newer, problem) => {
    expect(problemsOf(loadInProject(overlay, { [`${own}/base.yaml`]: newer }))).toEqual([problem]);
  });
});

describe("a hostile project", () => {
  const refused = (root: string, reference: string) =>
    problemsOf(loadIn(root, `${own}/ship.yaml`, `name: ship\nextends: ${reference}\n`));

  test("cannot have a base read through a link", () => {
    const root = projectWith({ "outside/base.yaml": base, "project/x": "" });
    const project = join(root, "project");
    mkdirSync(join(project, own), { recursive: true });
    symlinkSync(join(root, "outside/base.yaml"), join(project, own, "base.yaml"));
    symlinkSync(join(root, "outside"), join(project, "shared"));
    const linked = (path: string) => [`2:10  extends  ${path} is or is behind a symbolic link, which is not followed`];
    expect(refused(project, "base")).toEqual(linked(`${own}/base.yaml`));
    expect(refused(project, "./base.yaml")).toEqual(linked(`${own}/base.yaml`));
    expect(refused(project, "../../shared/base.yaml")).toEqual(linked("shared/base.yaml"));
  });

  test("cannot have a base read through a linked workflows folder", () => {
    const root = projectWith({ "outside/base.yaml": base, "project/.holdfast/x": "" });
    const project = join(root, "project");
    symlinkSync(join(root, "outside"), join(project, own));
    expect(refused(project, "base")[0]).toContain("symbolic link");
  });

  test("cannot make reading wait for a pipe", () => {
    const root = projectWith({ [`${own}/x.yaml`]: base });
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(root, own, "base.yaml")]);
    expect(refused(root, "base")).toEqual([`2:10  extends  ${own}/base.yaml is not a plain file`]);
    rmSync(join(root, own, "base.yaml"));
    mkdirSync(join(root, own, "base.yaml"));
    expect(refused(root, "base")).toEqual([`2:10  extends  ${own}/base.yaml is not a plain file`]);
  });

  test.each(["../../../../../../etc/passwd.yaml", "~/base.yaml", "C:\\base.yaml", "/dev/zero", "file:///etc/passwd"])(
    "cannot extend %s",
    (reference) => {
      expect(refused(projectWith({}), JSON.stringify(reference))).toHaveLength(1);
    },
  );

  test("cannot reach the prototype through a merge or a change", () => {
    const root = projectWith(withBase);
    const text = `name: ship\nextends: base\n__proto__: { hold: true }\nagents: { __proto__: { x: 1 } }\nchange:\n  - { step: plan, set: { __proto__: { polluted: 1 } } }\n  - { __proto__: 1, step: plan, remove: true }\n`;
    const found = problemsOf(loadIn(root, `${own}/ship.yaml`, text));
    expect(found.filter((problem) => problem.includes('"__proto__" is a reserved name'))).toHaveLength(4);
    expect(Object.keys({})).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test("two files of one name are told apart by their path", () => {
  const root = projectWith({ "a/base.yaml": "name: base\nextends: ../b/base.yaml\n", "b/base.yaml": base });
  writeFileSync(join(root, "b/base.yaml"), base);
  expect(templateOf(loadIn(root, "ship.yaml", "name: ship\nextends: ./a/base.yaml\n")).name).toBe("ship");
});
