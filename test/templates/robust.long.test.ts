import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { checkTemplate, loadTemplate } from "../../src/templates/load.ts";
import { problemText } from "../../src/templates/problem.ts";
import { anyCharacter } from "../any-character.ts";
import { cases } from "../dose.ts";
import { everything } from "./example.ts";

const head = "name: a\ndescription: b\n";

/** Whatever is read: an answer, with problems that a person can find and read, or a template that stays itself. */
function expectAnAnswer(content: string | Uint8Array): void {
  const reading = loadTemplate(content);
  const text = typeof content === "string" ? content.replace(/^\uFEFF/, "") : new TextDecoder().decode(content);
  const lines = text.split("\n");
  for (const problem of [...reading.warnings, ...(reading.ok ? [] : reading.problems)]) {
    const { line, column } = problem.position ?? { line: 0, column: 0 };
    expect(line, problemText(problem)).toBeGreaterThanOrEqual(1);
    expect(line, problemText(problem)).toBeLessThanOrEqual(lines.length);
    expect(column, problemText(problem)).toBeGreaterThanOrEqual(1);
    expect(column, problemText(problem)).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
    expect(problem.message.trim()).not.toBe("");
    expect(problem.message.length, problem.message.slice(0, 300)).toBeLessThan(1_000);
    expect(problemText(problem)).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|Invalid input|Too (small|big)/u);
  }
  if (!reading.ok) expect(reading.problems).not.toEqual([]);
  else expectTheSameAgain(JSON.stringify(reading.template), reading.hash);
}

function expectTheSameAgain(json: string, hash: string): void {
  const again = loadTemplate(json);
  expect(again.ok ? [again.hash] : again.problems.map(problemText)).toEqual([hash]);
  const plain = checkTemplate(JSON.parse(json));
  expect(plain.ok && plain.hash).toBe(hash);
}

/** Pieces that mean something to YAML, to a template or to a program. */
const piece = fc.oneof(
  fc.constantFrom(..."\n \t:-?[]{},&*!|>'\"%@`#~\\<=.$\r\u0085\u2028\u00A0\uFEFF\u0001\0"),
  fc.constantFrom(..."name description type steps loops agents variables id action loop ralph gate run n".split(" ")),
  fc.constantFrom(
    "\n  ",
    "\n  - ",
    ": ",
    "- ",
    "? ",
    "<<: ",
    "*a",
    "&a ",
    "!!set ",
    "!x ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
  ),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "{task.id}",
    "{vars.x}",
    "{{",
    "\\ud800",
    "1e999",
    ".nan",
    "null",
  ),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
);
const pieces = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));

/** Values in the shape of a template as far as the first levels go, and of anything below. */
const key = fc.constantFrom(
  ..."name description type agents variables required_reading transitions loops steps critical_artifacts".split(" "),
  ..."id agent context on_fail max_retries budget phase instructions gate outcomes n until run exists approval".split(
    " ",
  ),
  ..."turns pivot_to from to always_load path command reload_triggers __proto__ constructor toString plan".split(" "),
);
const word = fc.constantFrom(
  "action",
  "loop",
  "ralph",
  "plan",
  "compact",
  "human",
  "{run.x}",
  "step_start:x",
  "",
  " a",
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      word,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ unit: anyCharacter, maxLength: 8 }),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const anyMap = fc.array(fc.tuple(key, anyValue), { maxLength: 6 }).map((entries) => Object.fromEntries(entries));

interface Change {
  readonly type: "drop" | "repeat" | "replace" | "swap";
  readonly where: number;
  readonly text: string;
}
const change: fc.Arbitrary<Change> = fc.record({
  type: fc.constantFrom("drop", "repeat", "replace", "swap"),
  where: fc.nat(),
  text: pieces,
});

function changed(parts: readonly string[], { type, where, text }: Change): string[] {
  const index = where % Math.max(1, parts.length);
  const [before, here, after] = [parts.slice(0, index), parts.slice(index, index + 1), parts.slice(index + 1)];
  switch (type) {
    case "drop":
      return [...before, ...after];
    case "repeat":
      return [...before, ...here, ...here, ...after];
    case "replace":
      return [...before, text, ...after];
    case "swap":
      return [...before, ...after.slice(0, 1), ...here, ...after.slice(1)];
  }
}

describe("loading answers, whatever it is given:", () => {
  test("any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), expectAnAnswer),
      cases({ quick: 20, long: 1_500, soak: 12_000 }),
    );
  });

  test("any pieces of YAML", () => {
    fc.assert(fc.property(pieces, expectAnAnswer), cases({ quick: 20, long: 1_500, soak: 12_000 }));
  });

  test("any pieces of YAML inside of a workflow", () => {
    const within = fc.tuple(fc.constantFrom("", "variables: ", "steps:\n  - ", "loops:\n  build: "), pieces);
    fc.assert(
      fc.property(within, ([heading, text]) => expectAnAnswer(`${head}${heading}${text}`)),
      cases({ quick: 20, long: 1_500, soak: 12_000 }),
    );
  });

  test("any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), expectAnAnswer),
      cases({ quick: 20, long: 1_500, soak: 12_000 }),
    );
  });

  test("any JSON value, written as JSON and as YAML", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expectAnAnswer(JSON.stringify(value));
        expectAnAnswer(stringify(value));
      }),
      cases({ quick: 10, long: 500, soak: 4_000 }),
    );
  });

  test("values that look like a workflow", () => {
    fc.assert(
      fc.property(anyMap, anyMap, (top, step) => {
        const value = { name: "a", description: "b", steps: [step], ...top };
        expectAnAnswer(stringify(value, { aliasDuplicateObjects: false }));
        const reading = checkTemplate(value);
        expect(reading.ok || reading.problems.length > 0).toBe(true);
      }),
      cases({ quick: 20, long: 1_500, soak: 12_000 }),
    );
  });

  test("a command of values that cannot be made a text", () => {
    const step = { id: "a", type: "command", run: [{ toString: 0 }, 0] };
    expect(checkTemplate({ name: "a", description: "b", steps: [step] }).ok).toBe(false);
  });

  test("a good workflow with lines dropped, repeated, replaced and swapped", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        expectAnAnswer(changes.reduce<readonly string[]>(changed, everything.split("\n")).join("\n"));
      }),
      cases({ quick: 10, long: 600, soak: 5_000 }),
    );
  });

  test("a good workflow with characters dropped, repeated, replaced and swapped", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        expectAnAnswer(changes.reduce<readonly string[]>(changed, [...everything]).join(""));
      }),
      cases({ quick: 10, long: 600, soak: 5_000 }),
    );
  });

  test("a good workflow with words replaced by others", () => {
    const words = everything.split(/\b/);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.oneof(key, word)), { minLength: 1, maxLength: 5 }), (changes) => {
        const parts = [...words];
        for (const [where, text] of changes) parts[where % parts.length] = text;
        expectAnAnswer(parts.join(""));
      }),
      cases({ quick: 10, long: 600, soak: 5_000 }),
    );
  });
});
