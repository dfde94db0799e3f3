import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scopeOf } from "../../../src/artifacts/plan-loading.ts";
import { membersOf, parseCondition, stepRoots } from "../../../src/model/condition/condition.ts";
import { conditionHolds } from "../../../src/model/condition/condition-value.ts";
import { includesText } from "../../../src/model/condition/includes-text.ts";
import { cases } from "../../dose.ts";

const state = {
  run_id: "feature-20260131_120000-ab12",
  status: "running",
  phase: "build",
  step: "implement",
  count: 3,
  ratio: 0.5,
  zero: 0,
  empty: "",
  debt: -2,
  größe: 5,
  done: false,
  nothing: null,
  tasks: [{ id: "t1" }, { id: "t2" }],
  variables: { plan_number: 1, "work-id": "258", toString: "own" },
  artifacts: { spec_path: "specs/258.md", plan_path: null },
};

function holds(text: string, over: unknown = state): boolean {
  const parsed = parseCondition(text);
  if (!parsed.ok) throw new Error(`${parsed.column}: ${parsed.problem}`);
  return conditionHolds(parsed.condition, scopeOf(over));
}

test.each([
  [{ artifacts: { spec_path: "specs/258.md" } }, true],
  [{ artifacts: { spec_path: null } }, false],
  [{ artifacts: {} }, false],
  [{ artifacts: null }, false],
  [{}, false],
  [null, false],
])("the seed's own condition over %j is %j", (over, expected) => {
  expect(holds("state.artifacts.spec_path != null", over)).toBe(expected);
});

describe("a condition that holds", () => {
  test.each([
    "true",
    "!false",
    "null == null",
    "1 < 2",
    "2 <= 2",
    "-1 > -2",
    "1.5e1 >= 15",
    "'a' < 'b'",
    "'it\\'s' == \"it's\"",
    "'a\\n\\t\\\\' != 'a'",
    "state.status == 'running'",
    'state.status === "running"',
    "state.status !== 'paused'",
    "state.count > 2 && state.count < 4",
    "state.ratio == 0.5",
    "state.debt == -2",
    "state.größe == 5 && state.debt == -2",
    "state.nothing == null",
    "state.absent == null",
    "state.absent.deeper.still == null",
    "state['artifacts'][\"spec_path\"] == 'specs/258.md'",
    "state.tasks[1].id == 't2'",
    "state.tasks[9] == null",
    "state.tasks.length == 2",
    "state.status.length == null",
    "run.id == 'feature-20260131_120000-ab12'",
    "run.phase == 'build'",
    "variables.plan_number == 1",
    "variables['work-id'] == '258'",
    "variables.toString == 'own'",
    "state.toString == null",
    "state.hasOwnProperty == null",
    "state.artifacts.spec_path",
    "state.done || state.count",
    "false || false || true",
    "true || false && false",
    "!(true && false)",
    "!!state.count",
    "!state.done == true",
    "(((state.count)) == (3))",
    " \t\n state . count\n== 3 ",
    "state",
    "vars.plan_number == 1",
    "state.status in ['paused', 'running']",
    "state.count in [1, 2, 3]",
    "state.nothing in [null]",
    "!(state.status in [])",
    "'unn' in state.status",
    "state.status contains 'run'",
    "state.status contains ''",
    "size state.status == 7",
    "size(state.tasks) == 2",
    "size(variables) > 2 && size 'ab' < 3",
    "size state.absent == null",
    "!size state.empty",
    "state.size == null",
    "variables['in'] == null",
  ])("%s", (text) => {
    expect(holds(text)).toBe(true);
  });
});

describe("a condition that does not hold", () => {
  test.each([
    "false",
    "null",
    "0",
    "''",
    "!true",
    "state.zero",
    "state.empty",
    "state.nothing",
    "state.absent",
    "state.count == '3'",
    "state.count < '4'",
    "state.nothing < 1",
    "state.absent >= 0",
    "state.tasks > 0",
    "true < 2",
    "(true || false) && false",
    "state.status == 'Running'",
    "state.artifacts.plan_path !== null",
    "state.variables == variables['plan_number']",
    "state.count in ['3']",
    "state.status in []",
    "state.count in 3",
    "state.nothing in state.tasks",
    "state.status contains 'Run'",
    "state.status contains null",
    "state.absent contains 'a'",
    "state.count contains 3",
    "size state.count",
    "size state.absent > 0",
  ])("%s", (text) => {
    expect(holds(text)).toBe(false);
  });
});

describe("no condition", () => {
  test.each([
    ["", 1, "expected a value, found the end"],
    ["   ", 4, "expected a value, found the end"],
    ["state.a ==", 11, "expected a value, found the end"],
    ["== 1", 1, "expected a value, found =="],
    ["state.a = 1", 9, "a single = is not supported; compare with =="],
    ["state.a += 1", 9, '"+" is not supported; a condition can only compare values'],
    ["state.a & state.b", 9, "a single & is not supported; use &&"],
    ["state.a | state.b", 9, "a single | is not supported; use ||"],
    ["state.a ? 1 : 2", 9, '"?" is not supported; a condition can only compare values'],
    ["state.a; state.b", 8, '";" is not supported; a condition can only compare values'],
    ["state.a == 'open", 12, "the text that begins here has no closing '"],
    ['state.a == "open', 12, 'the text that begins here has no closing "'],
    ["state.a == '\\x41'", 13, '"\\\\x" is not a valid escape'],
    ["state.list.includes('a')", 20, "a condition cannot call functions"],
    ["state()", 6, "a condition cannot call functions"],
    ["require('fs')", 1, '"require" is unknown; use state, run or variables'],
    ["process.exit", 1, '"process" is unknown; use state, run or variables'],
    ["stat.a == 1", 1, '"stat" is unknown; did you mean state?'],
    ["state.a !== undefined", 13, "undefined is not supported; a missing value is null"],
    ["while (true) {}", 14, '"{" is not supported; a condition can only compare values'],
    ["for (;;) true", 6, '";" is not supported; a condition can only compare values'],
    ["while (true) true", 1, '"while" is unknown; use state, run or variables'],
    ["new state.a", 1, '"new" is unknown; use state, run or variables'],
    ["state.a state.b", 9, "expected an operator or the end, found state"],
    ["state.a == 1 == true", 14, "two comparisons in a row; put one of them in parentheses"],
    ["(state.a", 9, "expected an operator or ), found the end"],
    ["state.a)", 8, "expected an operator or the end, found )"],
    ["state.", 7, "expected the name of a member, found the end"],
    ["state.1", 7, 'expected the name of a member, found "1"'],
    ["state[a]", 7, "expected a name in quotes or a whole number, found a"],
    ["state[-1]", 7, 'expected a name in quotes or a whole number, found "-1"'],
    ["state['a'", 10, "expected ], found the end"],
    ["'text'.length", 7, "expected an operator or the end, found ."],
    ["state.__proto__ == null", 7, "__proto__ is a reserved name"],
    ["state.a.constructor", 9, "constructor is a reserved name"],
    ["state['constructor']", 7, "constructor is a reserved name"],
    ['variables["__proto__"].x', 11, "__proto__ is a reserved name"],
    ["run.prototype", 5, "prototype is a reserved name"],
    ["state.a in ['a' 'b']", 17, 'expected a comma or ], found "b"'],
    ["state.a in ['a',]", 17, "expected a number, a text in quotes, true, false or null, found ]"],
    ["state.a in [state.b]", 13, "expected a number, a text in quotes, true, false or null, found state"],
    ["state.a in", 11, "expected a value, found the end"],
    ["['a'] contains 'a'", 1, "a list can only follow in"],
    ["state.a == ['a']", 12, "a list can only follow in"],
    ["size", 5, "expected a value, found the end"],
    ["state.a in state.b in state.c", 20, "two comparisons in a row; put one of them in parentheses"],
    ["state.a, state.b", 8, "expected an operator or the end, found ,"],
    ["outputs.plan contains 'x'", 1, "outputs is only available in the when of a step or sub-step"],
    ["task.id == 't1'", 1, "task is only available in the when of a step or sub-step"],
    ["state.a == `x`", 12, '"`" is not supported; a condition can only compare values'],
  ])("%s", (text, column, problem) => {
    expect(parseCondition(text)).toEqual({ ok: false, column, problem });
  });

  test.each([
    ["100 KB of text", "a".repeat(100_000), "is longer than 2,000 characters"],
    ["100 KB of parentheses", "(".repeat(100_000), "is longer than 2,000 characters"],
    ["100 KB of comparisons", "true && ".repeat(12_500), "is longer than 2,000 characters"],
  ])("is %s", (_, text, problem) => {
    expect(parseCondition(text)).toEqual({ ok: false, column: 1, problem });
  });

  test.each([
    ["parentheses", "(".repeat(60), 52],
    ["negations", "!".repeat(60), 52],
  ])("is nested in more than fifty %s", (_, text, column) => {
    expect(parseCondition(`${text}true`)).toEqual({ ok: false, column, problem: "is nested too deeply" });
  });
});

test("a step's condition reads outcomes, outputs and the task as well", () => {
  const parsed = parseCondition("outcomes.review == 'ok' && outputs['a b'] contains task.id", stepRoots);
  if (!parsed.ok) throw new Error(parsed.problem);
  const scope = { outcomes: { review: "ok" }, outputs: { "a b": "see t1" }, task: { id: "t1" } };
  expect(conditionHolds(parsed.condition, scope)).toBe(true);
  expect(conditionHolds(parsed.condition, { ...scope, task: null })).toBe(false);
  expect(membersOf(parsed.condition).map(({ root, column }) => [root, column])).toEqual([
    ["outcomes", 1],
    ["outputs", 28],
    ["task", 52],
  ]);
  expect(parseCondition("output.plan == 'x'", stepRoots)).toEqual({
    ok: false,
    column: 1,
    problem: '"output" is unknown; did you mean outputs?',
  });
});

test("contains finds what String.includes finds, and takes linear time where that does not", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "é"), { maxLength: 12 }).map((list) => list.join(""));
  fc.assert(
    fc.property(letters, letters, (text, part) => {
      expect(includesText(text, part)).toBe(text.includes(part));
    }),
    cases({ quick: 300, long: 5_000, soak: 50_000 }),
  );
  const half = "a".repeat(500_000);
  expect(includesText(`${half}${half}`, `${half}b${half}`)).toBe(false);
});

test("a condition may be as wide as it is long", () => {
  expect(holds(Array.from({ length: 200 }, () => "true").join("&&"))).toBe(true);
});

test("whatever is written, it is read or refused with a column in it, and looks at nothing it should not", () => {
  const words =
    "state run variables vars in contains size , . [ ] ( ) ! == != < && || null true 'a' \"b\" 1 -2 __proto__ x = + \\ '".split(
      " ",
    );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.constantFrom(...words)).map((list) => list.join(" ")),
      ),
      (text) => {
        const parsed = parseCondition(text);
        if (parsed.ok) expect(typeof conditionHolds(parsed.condition, scopeOf(state))).toBe("boolean");
        else expect(parsed.column >= 1 && parsed.column <= text.length + 1).toBe(true);
      },
    ),
    cases({ quick: 100, long: 5_000, soak: 100_000 }),
  );
});
