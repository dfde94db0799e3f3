import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadTemplate } from "../../../src/templates/load.ts";
import { everything } from "../example.ts";
import { reloaded } from "./reloaded.ts";

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
