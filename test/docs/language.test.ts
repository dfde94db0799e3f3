import { expect, it, test } from "vitest";
import { parse } from "yaml";
import { makeWorld } from "../app/world.ts";
import { type Script, walk } from "../workflows/walk.ts";
import { keysIn, languageKeys } from "./language-keys.ts";
import { readPage } from "./markdown.ts";

// The examples of the page about the language: every key is in one of them, and each is walked to its end.

const examples = readPage("docs/workflows.md")
  .blocks.filter(({ language }) => language === "yaml")
  .map(({ text, at }) => ({ value: parse(text), text, at }))
  .filter(({ value }) => isWorkflow(value))
  .map(({ value, text, at }) => ({ name: String(value.name), keys: keysIn(value), text, at }));

function isWorkflow(value: object): boolean {
  return "steps" in value || "extends" in value;
}

/** Each example, how it is walked, and the visits of that walk. A loop has the tasks t1 and t2. */
const walks: readonly (readonly [example: string, script: Script, path: string])[] = [
  [
    "feature",
    { outcomes: { plan_review: ["needs_changes", "approved"] } },
    "plan#1 plan_review#1 plan#2 plan_review#2 build#1 build/t1/implement#1 build/t1/verify#1 build/t2/implement#1 build/t2/verify#1 polish/1#1 polish/2#1 polish/3#1 ship#1",
  ],
  [
    "patch",
    { outcomes: { review: ["flawed"] } },
    "build#1 build/t1/code#1 build/t2/code#1 review#1 fix#1 profile#1 ship#1",
  ],
  ["check", { failing: ["check#1"] }, "check#1 repair#1 check#2 publish#1"],
  ["report", {}, "find#1 count#1 list#1 polish/1#1 polish/2#1 polish/3#1"],
  ["spike", {}, "question#1 try#1 report#1"],
  ["audit", {}, "look#1 fix#1 fix/t1/repair#1 fix/t1/attack#1 fix/t2/repair#1 fix/t2/attack#1 report#1"],
  ["fix", {}, "fix#1"],
  ["change", {}, "change#1 repair/1#1 repair/2#1 repair/3#1 check#1"],
  ["nightly", {}, "fetch#1 test#1 publish#1 tell#1"],
  [
    "backlog",
    {},
    "collect#1 issues#1 issues/t1/fix#1 issues/t2/fix#1 plan#1 build#1 build/t1/code#1 build/t2/code#1 rest#1 rest/t1/do#1 rest/t2/do#1 tested#1 tested/t1/write#1 tested/t2/write#1",
  ],
  [
    "build-together",
    {},
    "plan#1 build#1 build/t1/implement#1 build/t2/implement#1 build/t1/review#1@1 build/t2/review#1@2 ship#1",
  ],
  ["hotfix", { pivoting: ["fix#1"] }, "diagnose#1 fix#1 diagnose#2 fix#2 watch/1#1 watch/2#1 watch/3#1"],
  [
    "ship",
    {},
    "plan#1 threat_model#1 plan_review#1 build#1 build/t1/read#1 build/t1/implement#1 build/t1/verify#1 build/t2/read#1 build/t2/implement#1 build/t2/verify#1 changelog#1 ship#1 announce#1",
  ],
];

test.each(walks)("the example %s loads and walks to its end", async (name, script, path) => {
  const world = makeWorld({ git: false });
  for (const example of examples) world.write(`.holdfast/workflows/${example.name}.yaml`, example.text);
  const { template } = await world.agent().ok("template", { workflow: name });
  const walked = walk(template, script);
  expect(walked.run.status).toBe("complete");
  expect(walked.path.join(" ")).toBe(path);
});

it("every example is walked", () => {
  expect(walks.map(([name]) => name).sort()).toEqual(examples.map(({ name }) => name).sort());
});

test.each(languageKeys().filter((key) => !key.startsWith("artifact.")))("the key %s is in an example", (key) => {
  const used = examples.filter(({ keys }) => keys.has(key));
  expect(used.map(({ at }) => at)).not.toEqual([]);
});
