import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { replay } from "../../src/engine/evolve/evolve.ts";
import { outcomesOf, phasesOf, subStepsOf } from "../../src/engine/step-settings.ts";
import type { Gate } from "../../src/model/gate.ts";
import { isApproval } from "../../src/model/run-state.ts";
import type { Template } from "../../src/model/template.ts";
import { loadTemplate } from "../../src/templates/load.ts";
import { type Script, type Walk, walk } from "./walk.ts";

const folder = new URL("../../workflows/", import.meta.url);

const names = ["bugfix", "coder", "context-example", "feature", "planning", "qa-loop", "refactor", "release"] as const;
type BuiltIn = (typeof names)[number];

describe("the built-in workflows", () => {
  test("are these, each in a file of its name", () => {
    expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.yaml`));
    expect(names.map((name) => load(name).name)).toEqual(names);
  });

  test.each(names)("%s loads with no problem and no warning", (name) => {
    const reading = loadTemplate(read(name));
    expect(reading.ok ? [] : reading.problems).toEqual([]);
    expect(reading.warnings).toEqual([]);
  });

  test.each(names)("%s tells an editor where its schema is", (name) => {
    expect(firstLine(name)).toBe("# yaml-language-server: $schema=../schema/template.json");
  });

  test.each(names)("%s runs no command, so that it needs no trust", (name) => {
    expect(JSON.stringify(load(name))).not.toMatch(/"(run|command)":/);
  });

  test.each([
    ["bugfix", "implementation", ["Reproduce", "Diagnose", "Fix", "Verify", "Report"]],
    ["coder", "implementation", ["Plan", "Code", "Review"]],
    ["context-example", "custom", ["brainstorm", "plan", "implement_loop", "review"]],
    ["feature", "implementation", ["Understand", "Plan", "Build", "Review", "Hand over"]],
    ["planning", "planning", ["Research", "Requirements", "Design", "Plan", "Refine", "Review"]],
    ["qa-loop", "qa-loop", ["Run QA", "Fix", "Verify"]],
    ["refactor", "implementation", ["Assess", "Plan", "Safety net", "Change", "Review", "Close"]],
    ["release", "custom", ["Prepare", "Rehearse", "Approve", "Publish", "Confirm", "Announce"]],
  ] as const)("%s is of type %s and has its phases", (name, type, phases) => {
    expect(load(name).type ?? "custom").toBe(type);
    expect(phasesOf(load(name)).map((phase) => phase.name)).toEqual(phases);
  });

  test.each([
    ["bugfix", []],
    ["coder", []],
    ["context-example", []],
    ["feature", ["plan: docs/plan.md", "plan_approval: a person"]],
    [
      "planning",
      [
        "requirements: docs/planning/requirements.md",
        "design: docs/planning/design.md",
        "plan: docs/plan.md",
        "approval: a person",
        "research.record: docs/planning/research.md",
      ],
    ],
    ["qa-loop", []],
    ["refactor", ["plan: docs/refactoring.md"]],
    ["release", ["notes: CHANGELOG.md", "approve: a person"]],
  ] as const)("%s waits for these documents and persons", (name, waits) => {
    expect(gatesOf(load(name)).map(({ id, gate }) => `${id}: ${awaited(gate)}`)).toEqual(waits);
  });
});

describe("at its start", () => {
  test.each([
    ["bugfix", "reproduce", "Reproduce"],
    ["coder", "PLANNING", "Plan"],
    ["context-example", "brainstorm", "brainstorm"],
    ["feature", "understand", "Understand"],
    ["planning", "frame", "Research"],
    ["qa-loop", "run_qa", "Run QA"],
    ["refactor", "assess", "Assess"],
    ["release", "survey", "Prepare"],
  ] as const)("%s stands at %s, which the agent does itself", (name, step, phase) => {
    const [status] = walk(load(name)).told;
    expect(status).toMatchObject({ step, agent: null, delegate: false, progress: { currentStep: 1 } });
    expect(status?.phase).toMatchObject({ current: 1, name: phase, status: "in_progress" });
  });

  test("qa-loop checks the whole project unless it is told otherwise", () => {
    const [status] = walk(load("qa-loop")).told;
    expect(status?.instructions).toContain("Run every check that this project has, for the whole project:");
  });
});

describe("on the straight way", () => {
  const straight = {
    bugfix: [
      "reproduce#1",
      "diagnose#1",
      "fix#1",
      "siblings#1",
      "siblings/t1/repair#1",
      "siblings/t2/repair#1",
      "verify#1",
      "review#1",
      "report#1",
    ],
    coder: ["PLANNING#1", "PLAN_REVIEW#1", "CODING#1", "TESTING#1", "CODE_REVIEW#1"],
    "context-example": [
      "brainstorm#1",
      "plan#1",
      "implement_loop#1",
      "implement_loop/t1/analyze#1",
      "implement_loop/t1/code#1",
      "implement_loop/t1/verify#1",
      "implement_loop/t2/analyze#1",
      "implement_loop/t2/code#1",
      "implement_loop/t2/verify#1",
      "review#1",
    ],
    feature: [
      "understand#1",
      "plan#1",
      "plan_review#1",
      "plan_approval#1",
      "build#1",
      "build/t1/implement#1",
      "build/t1/verify#1",
      "build/t2/implement#1",
      "build/t2/verify#1",
      "polish/1#1",
      "polish/2#1",
      "review#1",
      "document#1",
      "hand_over#1",
    ],
    planning: [
      "frame#1",
      "research#1",
      "research/t1/answer#1",
      "research/t1/record#1",
      "research/t2/answer#1",
      "research/t2/record#1",
      "requirements#1",
      "design#1",
      "plan#1",
      "refine/1#1",
      "refine/2#1",
      "refine/3#1",
      "review#1",
      "approval#1",
    ],
    "qa-loop": [
      "run_qa#1",
      "fix#1",
      "fix/t1/repair#1",
      "fix/t1/confirm#1",
      "fix/t2/repair#1",
      "fix/t2/confirm#1",
      "verify#1",
    ],
    refactor: [
      "assess#1",
      "plan#1",
      "safety_net#1",
      "change#1",
      "change/t1/apply#1",
      "change/t1/check#1",
      "change/t2/apply#1",
      "change/t2/check#1",
      "simplify/1#1",
      "simplify/2#1",
      "review#1",
      "close#1",
    ],
    release: [
      "survey#1",
      "blockers#1",
      "blockers/t1/repair#1",
      "blockers/t1/check#1",
      "blockers/t2/repair#1",
      "blockers/t2/check#1",
      "notes#1",
      "rehearse#1",
      "approve#1",
      "publish#1",
      "confirm#1",
      "announce#1",
    ],
  } satisfies Record<BuiltIn, string[]>;

  test.each(names)("%s visits its steps in this order and completes", (name) => {
    const { path, run } = walk(load(name));
    expect(path).toEqual(straight[name]);
    expect(run.status).toBe("complete");
  });

  test.each([
    ["bugfix", []],
    ["coder", ["CODING#1: clear"]],
    [
      "context-example",
      [
        "brainstorm#1: clear",
        "implement_loop/t1/code#1: compact",
        "implement_loop/t2/code#1: compact",
        "review#1: compact",
      ],
    ],
    ["feature", ["build/t1/implement#1: compact", "build/t2/implement#1: compact"]],
    ["planning", ["plan#1: compact"]],
    ["qa-loop", []],
    ["refactor", ["change/t1/apply#1: compact", "change/t2/apply#1: compact"]],
    ["release", []],
  ] as const)("%s asks for these context actions, each once", (name, actions) => {
    expect(handedOut(walk(load(name)))).toEqual(actions);
  });

  test.each([
    ["bugfix", ["review#1: reviewer"]],
    ["coder", ["PLAN_REVIEW#1: reviewer", "CODE_REVIEW#1: reviewer"]],
    ["context-example", []],
    ["feature", ["plan_review#1: reviewer", "review#1: reviewer"]],
    ["planning", ["research/t1/answer#1: researcher", "research/t2/answer#1: researcher", "review#1: critic"]],
    ["qa-loop", []],
    ["refactor", ["review#1: reviewer"]],
    ["release", []],
  ] as const)("%s hands these visits to another agent", (name, delegated) => {
    const { told } = walk(load(name));
    expect(told.filter((status) => status.delegate).map(({ token, agent }) => `${token}: ${agent}`)).toEqual(delegated);
  });

  test("no agent that judges or answers may write", () => {
    const agents = names.flatMap((name) => Object.values(load(name).agents ?? {}));
    expect(agents.map((agent) => agent.cannot)).toEqual(agents.map(() => ["write", "commit"]));
  });

  test.each(names.filter((name) => load(name).loops))("%s names the task in every sub-step", (name) => {
    const inLoops = walk(load(name)).told.filter(({ task }) => task !== undefined);
    expect(inLoops.length).toBeGreaterThan(0);
    for (const { task, instructions } of inLoops) expect(instructions).toContain(task?.title);
  });
});

describe("off the straight way", () => {
  /** Every outcome that the straight way does not take: where it leads, how the walk ends, what else it needs. */
  const detours: [BuiltIn, string, string, "complete" | "failed", Script["outcomes"]?][] = [
    ["bugfix", "reproduce: cannot_reproduce", "report#1", "complete"],
    ["bugfix", "diagnose: not_a_defect", "report#1", "complete"],
    ["bugfix", "diagnose: reproduction_unclear", "reproduce#2", "complete"],
    ["bugfix", "verify: still_broken", "diagnose#2", "complete"],
    ["bugfix", "review: needs_changes", "fix#2", "complete"],
    ["bugfix", "review: cause_remains", "diagnose#2", "complete"],
    ["coder", "PLAN_REVIEW: needs_changes", "PLANNING#2", "complete"],
    ["coder", "PLAN_REVIEW: rejected", "PLANNING#2", "complete"],
    ["coder", "TESTING: failed", "CODING#2", "complete"],
    ["coder", "CODE_REVIEW: needs_changes", "CODING#2", "complete"],
    ["coder", "CODE_REVIEW: rejected", "PLANNING#2", "complete"],
    ["feature", "plan_review: needs_changes", "plan#2", "complete"],
    ["feature", "review: needs_changes", "build#2", "complete"],
    ["feature", "review: wrong_approach", "plan#2", "complete"],
    ["planning", "review: weak_plan", "plan#2", "complete"],
    ["planning", "review: weak_design", "design#2", "complete"],
    ["planning", "review: unclear_requirements", "requirements#2", "complete"],
    ["qa-loop", "run_qa: clean", "the end", "complete"],
    ["qa-loop", "verify: findings", "fix#2", "complete"],
    ["qa-loop", "verify: stuck", "the end", "failed"],
    ["refactor", "assess: not_worthwhile", "close#1", "complete"],
    ["refactor", "safety_net: cannot_cover", "plan#2", "complete"],
    ["refactor", "review: behaviour_changed", "change#2", "complete"],
    ["refactor", "review: not_better", "plan#2", "complete"],
    ["release", "survey: nothing_to_release", "the end", "complete"],
    ["release", "rehearse: blocked", "blockers#2", "complete"],
    ["release", "confirm: unhealthy", "roll_back#1", "complete", { roll_back: ["repaired"] }],
    ["release", "roll_back: rolled_back", "the end", "failed", { confirm: ["unhealthy"] }],
    ["release", "roll_back: repaired", "confirm#2", "complete", { confirm: ["unhealthy"] }],
  ];

  test.each(detours)("%s with %s comes to %s and ends as %s", (name, taken, next, ending, others) => {
    const { path, answers, run } = detour(name, taken, others);
    expect(answers).toContain(taken);
    expect(path[path.indexOf(`${stepOf(taken)}#1`) + 1] ?? "the end").toBe(next);
    expect(run.status).toBe(ending);
  });

  test.each(names)("%s has no outcome that these walks leave out", (name) => {
    const walks = [
      walk(load(name)),
      ...detours.filter(([own]) => own === name).map(([, taken, , , others]) => detour(name, taken, others)),
    ];
    const answers = new Set(walks.flatMap((each) => each.answers));
    expect([...answers].sort()).toEqual(allOutcomes(load(name)).sort());
  });

  test("a feature that a reviewer turns down twice is planned, approved and built three times", () => {
    const { path, run } = walk(load("feature"), { outcomes: { review: ["wrong_approach", "wrong_approach"] } });
    expect(path.filter((token) => token.startsWith("plan_approval"))).toEqual([
      "plan_approval#1",
      "plan_approval#2",
      "plan_approval#3",
    ]);
    expect(path).toContain("build/t2/verify#3");
    expect(run.status).toBe("complete");
  });

  test("the feature's tasks are asked for anew when a review wants changes", () => {
    const { path } = walk(load("feature"), { outcomes: { review: ["needs_changes"] } });
    expect(path.slice(path.indexOf("review#1"), path.indexOf("review#2"))).toEqual([
      "review#1",
      "build#2",
      "build/t1/implement#2",
      "build/t1/verify#2",
      "build/t2/implement#2",
      "build/t2/verify#2",
      "polish/1#2",
      "polish/2#2",
    ]);
  });

  test.each([
    ["bugfix", "siblings/t1/repair#1", "siblings/t2/repair#1"],
    ["planning", "research/t1/answer#1", "research/t2/answer#1"],
    ["qa-loop", "fix/t1/repair#1", "fix/t2/repair#1"],
    ["qa-loop", "fix/t2/confirm#1", "verify#1"],
    ["refactor", "change/t1/check#1", "change/t2/apply#1"],
  ] as const)("%s leaves behind a task that fails at %s, and goes on at %s", (name, failing, next) => {
    const { path, run } = walk(load(name), { failing: [failing] });
    expect(path[path.indexOf(failing) + 1]).toBe(next);
    expect(run.status).toBe("complete");
  });

  test.each([
    ["feature", "build/t1/verify#1", ["build/t1/verify#1~2", "build/t1/verify#1~3"]],
    ["release", "blockers/t1/check#1", ["blockers/t1/check#1~2", "blockers/t1/check#1~3", "blockers/t1/check#1~4"]],
    ["release", "publish#1", []],
  ] as const)("%s asks a person when %s cannot be done, and fails if they abandon it", (name, first, retries) => {
    const { path, told, run } = walk(load(name), { failing: [first, ...retries] });
    expect(path.at(-1)).toBe(first);
    expect(told.some(({ token }) => token === (retries.at(-1) ?? first))).toBe(true);
    expect(run.status).toBe("failed");
  });

  test.each([
    ["bugfix", "reproduce#1", "reproduce#2"],
    ["bugfix", "diagnose#1", "reproduce#2"],
    ["bugfix", "fix#1", "diagnose#2"],
    ["coder", "PLANNING#1", "PLANNING#2"],
    ["coder", "CODING#1", "PLANNING#2"],
    ["coder", "TESTING#1", "PLANNING#2"],
    ["feature", "plan#1", "understand#2"],
    ["feature", "build/t2/implement#1", "plan#2"],
    ["planning", "research/t1/answer#1", "frame#2"],
    ["planning", "design#1", "requirements#2"],
    ["planning", "plan#1", "design#2"],
    ["qa-loop", "fix/t1/repair#1", "run_qa#2"],
    ["refactor", "plan#1", "assess#2"],
    ["refactor", "change/t1/apply#1", "plan#2"],
    ["release", "blockers/t1/repair#1", "survey#2"],
  ] as const)("%s goes back from %s to %s when a person wants another way", (name, spent, target) => {
    const { path, told, run } = walk(load(name), { pivoting: [spent] });
    expect(path[path.indexOf(spent) + 1]).toBe(target);
    expect(told.find((status) => status.token === target)?.instructions).toContain(
      '\n**[BUDGET_PIVOT_FEEDBACK]:** "try another way"',
    );
    expect(run.status).toBe("complete");
  });

  test("the coder clears its conversation for an approved plan and after a pivot, and never else", () => {
    const script = { outcomes: { CODE_REVIEW: ["rejected", "needs_changes"] }, pivoting: ["TESTING#1"] };
    const { path, events } = walk(load("coder"), script);
    expect(path.join(" ")).toBe(
      "PLANNING#1 PLAN_REVIEW#1 CODING#1 TESTING#1 PLANNING#2 PLAN_REVIEW#2 CODING#2 TESTING#2 CODE_REVIEW#1 " +
        "PLANNING#3 PLAN_REVIEW#3 CODING#3 TESTING#3 CODE_REVIEW#2 CODING#4 TESTING#4 CODE_REVIEW#3",
    );
    const cleared = events.flatMap((event) => (event.type === "visit-entered" && event.action ? [event.token] : []));
    expect(cleared).toEqual(["CODING#1", "PLANNING#2", "CODING#2", "CODING#3"]);
  });

  test("a feature that pivots in its second task asks for the tasks of the new plan", () => {
    const { path } = walk(load("feature"), { pivoting: ["build/t2/implement#1"] });
    expect(path.slice(path.indexOf("plan_approval#2"), path.indexOf("polish/1#1"))).toEqual([
      "plan_approval#2",
      "build#2",
      "build/t1/implement#2",
      "build/t1/verify#2",
      "build/t2/implement#2",
      "build/t2/verify#2",
    ]);
  });
});

describe("on every walk", () => {
  const longWay: Readonly<Record<BuiltIn, Script>> = {
    bugfix: { outcomes: { diagnose: ["reproduction_unclear"], verify: ["still_broken"], review: ["needs_changes"] } },
    coder: {
      outcomes: { PLAN_REVIEW: ["needs_changes", "rejected"], CODE_REVIEW: ["needs_changes", "rejected"] },
      pivoting: ["CODING#1", "TESTING#1"],
    },
    "context-example": {},
    feature: {
      outcomes: { plan_review: ["needs_changes"], review: ["needs_changes", "wrong_approach"] },
      failing: ["build/t1/implement#1"],
      pivoting: ["build/t2/implement#1"],
    },
    planning: { outcomes: { review: ["weak_plan", "weak_design", "unclear_requirements"] }, pivoting: ["plan#1"] },
    "qa-loop": { outcomes: { verify: ["findings", "findings", "stuck"] }, failing: ["fix/t1/confirm#2"] },
    refactor: { outcomes: { safety_net: ["cannot_cover"], review: ["behaviour_changed", "not_better"] } },
    release: { outcomes: { rehearse: ["blocked", "blocked"], confirm: ["unhealthy"], roll_back: ["repaired"] } },
  };

  test.each(names)("%s hands out what is due at a visit exactly once", (name) => {
    const { events } = walk(load(name), longWay[name]);
    const due = events.flatMap((event) => (event.type === "visit-entered" && event.action ? [event.token] : []));
    const given = events.flatMap((event) => (event.type === "context-action-handed-out" ? [event.token] : []));
    expect(given).toEqual(due);
  });

  test.each(names)("%s enters no visit twice", (name) => {
    const { path } = walk(load(name), longWay[name]);
    expect(path).toEqual([...new Set(path)]);
  });

  test.each(names)("%s can be told again from its events alone", (name) => {
    const { events, run } = walk(load(name), longWay[name]);
    expect(replay(events)).toEqual(run);
  });

  test.each(names)("%s gives short instructions at every visit", (name) => {
    for (const { instructions } of walk(load(name), longWay[name]).told) {
      expect(instructions.length).toBeGreaterThan(100);
      expect(instructions.length).toBeLessThan(2_000);
    }
  });
});

function load(name: BuiltIn): Template {
  const reading = loadTemplate(read(name));
  if (!reading.ok) throw new Error(`${name} does not load`);
  return reading.template;
}

function read(name: BuiltIn): Uint8Array {
  return readFileSync(new URL(`${name}.yaml`, folder));
}

function firstLine(name: BuiltIn): string | undefined {
  return new TextDecoder().decode(read(name)).split("\n")[0];
}

function detour(name: BuiltIn, taken: string, others: Script["outcomes"] = {}): Walk {
  const [step = "", outcome = ""] = taken.split(": ");
  return walk(load(name), { outcomes: { ...others, [step]: [outcome] } });
}

function stepOf(taken: string): string {
  return taken.split(": ")[0] ?? "";
}

function handedOut({ events }: Walk): string[] {
  return events.flatMap((event) =>
    event.type === "context-action-handed-out" ? [`${event.token}: ${event.action}`] : [],
  );
}

function allOutcomes(template: Template): string[] {
  return template.steps.flatMap(({ id }) =>
    Object.keys(outcomesOf(template, { type: "action", step: id }) ?? {}).map((outcome) => `${id}: ${outcome}`),
  );
}

function gatesOf(template: Template): { readonly id: string; readonly gate: Gate }[] {
  const subSteps = template.steps.flatMap(({ id: loop }) =>
    subStepsOf(template, loop).flatMap(({ id, gate = [] }) =>
      gate.map((each) => ({ id: `${loop}.${id}`, gate: each })),
    ),
  );
  const steps = template.steps.flatMap((step) =>
    step.type === "loop" ? [] : (step.gate ?? []).map((gate) => ({ id: step.id, gate })),
  );
  return [...steps, ...subSteps];
}

function awaited(gate: Gate): string {
  if (isApproval(gate)) return "a person";
  return "exists" in gate ? [gate.exists].flat().join(", ") : "a command";
}
