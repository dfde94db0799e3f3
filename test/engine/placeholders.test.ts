import { expect, it, test } from "vitest";
import { fillText } from "../../src/model/placeholder.ts";

const values: Readonly<Record<string, string>> = {
  "vars.a": "A",
  "run.request": "the request",
  "outputs.plan": "{vars.a}",
};
/** `pass` is plain text here, and everything else that has no value does not exist. */
const fill = (text: string) =>
  fillText(text, (root, name) => (root === "pass" ? undefined : (values[`${root}.${name}`] ?? null)));

test.each([
  ["a part whose value exists is shown", "x{?vars.a} is {vars.a}{/}.", "x is A."],
  [
    "a part whose value does not exist is left out, with its placeholders",
    "x{?vars.b} is {vars.b} and {vars.a}{/}.",
    "x.",
  ],
  ["two parts one after the other", "{?vars.a}1{/}{?vars.b}2{/}{?run.request}3{/}", "13"],
  ["a value is not filled again", "{outputs.plan}", "{vars.a}"],
  ["an end without a beginning is plain text", "a {/} b", "a {/} b"],
  ["a beginning without an end is plain text", "a {?vars.b} b", "a {?vars.b} b"],
  ["a name that is no placeholder here is plain text, and so is its end", "{?pass}a{/} {pass}", "{?pass}a{/} {pass}"],
  ["an escaped brace", "{{?vars.a} {{/}", "{?vars.a} {/}"],
  ["an output that does not exist yet", "{outputs.x}", "(no output yet)"],
])("%s", (_, text, filled) => {
  expect(fill(text)).toBe(filled);
});

it("a long text with many parts is filled in one pass", () => {
  expect(fill("{?vars.a}x{/}".repeat(20_000))).toBe("x".repeat(20_000));
  expect(fill("{?vars.a}".repeat(20_000))).toBe("{?vars.a}".repeat(20_000));
});
