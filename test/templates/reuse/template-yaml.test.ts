import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkTemplate, loadTemplate } from "../../../src/templates/load.ts";
import { problemText } from "../../../src/templates/problem.ts";
import { templateYaml } from "../../../src/templates/reuse/template-yaml.ts";
import { cases } from "../../dose.ts";
import { everything } from "../example.ts";

/** What the YAML of a template loads as; it must load, and look like nothing that steers a terminal. */
function reloaded(value: unknown): unknown {
  const checked = checkTemplate(value);
  if (!checked.ok) throw new Error(checked.problems.map(problemText).join("\n"));
  const yaml = templateYaml(checked.template);
  expect(yaml).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
  const reading = loadTemplate(Buffer.from(yaml));
  expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([]);
  return reading.ok && reading.template;
}

const parsed = (text: string) => {
  const reading = loadTemplate(text);
  if (!reading.ok) throw new Error("the workflow must load");
  return reading.template;
};

test.each(readdirSync("workflows"))("the built-in %s is the same after it was printed and loaded", (file) => {
  const template = parsed(readFileSync(join("workflows", file), "utf8"));
  expect(reloaded(template)).toEqual(template);
});

test("a workflow with every word of the language is the same", () => {
  expect(reloaded(parsed(everything))).toEqual(parsed(everything));
});

const nasty = [
  ...[
    "true",
    "null",
    "~",
    "1",
    "1e3",
    "0x1F",
    "0o14",
    ".5",
    "-",
    "- a",
    "a: b",
    "a #b",
    "#",
    "<<",
    "*a",
    "&a",
    "!a",
    "@a",
  ],
  ...[
    "%a",
    "|",
    ">",
    "{a}",
    "[a]",
    "'",
    '"',
    "a\r\nb",
    "a\rb",
    "\ta",
    "a\t\n",
    " a",
    "a ",
    "\n",
    "\n\na",
    "a\n\n",
    "a\n b",
    "---",
  ],
  ...[
    "...",
    "\u0000",
    "\u001b[31m",
    "\u007f",
    "\u0085",
    "\u009b",
    "\u2028",
    "\ufeff",
    "\u202e",
    "\ud800",
    "👩‍💻",
    "\\u0041",
    "\\",
  ],
];

test.each(nasty.map((text) => [JSON.stringify(text), text]))("the text %s survives", (_, text) => {
  const step = { id: "a", type: "action", instructions: `x${text}` };
  const template = { name: "a", description: text, key_reminders: [`${text}x`], variables: { v: text }, steps: [step] };
  expect(reloaded(template)).toEqual(template);
});

test("a name that YAML takes for a merge key survives", () => {
  const steps = [{ id: "a", type: "action", agent: "<<", instructions: "b" }];
  const template = { name: "<<", description: "<<", agents: { "<<": { description: "<<" } }, steps };
  expect(reloaded(template)).toEqual(template);
});

test("any text survives", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(..." \n\t\r:#-'\"{}[]|>&*!%@`,?\\<".split("")),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(text, fc.double({ noNaN: true, noDefaultInfinity: true }), (value, number) => {
      const steps = [{ id: "a", type: "action", instructions: `x${value}` }];
      const template = { name: "a", description: value, variables: { v: value, n: number }, steps };
      expect(reloaded(template)).toEqual(template);
    }),
    cases({ quick: 100, long: 1_000, soak: 10_000 }),
  );
});
