import type { ModelReply } from "../test/coder/model/answer.ts";
import type { ModelRequest } from "../test/coder/model/request.ts";

/** The story, of which the scripted model knows every reply. */
export const story =
  "Let whoever uses the context manager ask how many tokens each message of a conversation takes, largest first.";

const call = (name: string, input: Record<string, unknown>): ModelReply => ({ calls: [{ name, input }] });
const read = (path: string) => call("read", { path: `src/${path}` });
const search = (pattern: string) => call("search", { pattern });
const shell = (command: string) => call("shell", { command });
const done = (output: string, outcome?: string) => call("done", { output, ...(outcome !== undefined && { outcome }) });

const paragraph =
  "The scale counts each message once and keeps the number, so asking for all of them costs one pass over what has changed. ";
const plan = (name: string) =>
  `${name}\nGoal: \`weights()\` of a context.\n${["scale", "view", "context", "tests"].map((part, n) => `${n + 1}. ${part}: ${paragraph.repeat(3)}`).join("\n")}`;
const finding = `The plan does not say what happens to messages that a compaction has shortened. ${paragraph}`;
const todo = (ready: number) =>
  ["scale", "view", "context", "tests"].map((part, n) => `- [${n < ready ? "x" : " "}] ${part}`).join("\n");

const planned = ["conversation/scale.ts", "conversation/view.ts", "context.ts", "create-context.ts"];
const weights = `export const weights = (messages) => messages.map((text) => text.length).sort((a, b) => a - b);\n`;
const weightsTest = `import assert from "node:assert";
import { test } from "node:test";
import { weights } from "./weights.js";
test("the largest comes first", () => assert.deepEqual(weights(["a", "abc", "ab"]), [3, 2, 1]));
`;

type Script = Readonly<Record<string, readonly ModelReply[]>>;

/** `isForgetful`: coding reads again what planning has read. A model with an empty conversation has to. */
function repliesOf(isForgetful: boolean): Script {
  const again = isForgetful ? planned.map(read) : [];
  return {
    PLANNING: [
      ...[call("list", { path: "src" }), search("tokens\\("), search("createScale")],
      ...[...planned, "conversation/history.ts", "conversation/message.ts", "compaction/plan.ts"].map(read),
      ...[shell("git log --stat -3"), call("submit_plan", { plan: plan("THE FIRST PLAN") })],
      ...[read("conversation/shrink.ts"), call("submit_plan", { plan: plan("THE SECOND PLAN") })],
    ],
    PLAN_REVIEW: [
      ...[read("conversation/shrink.ts"), search("shortenMessage"), done(finding, "needs_changes")],
      ...[search("replaceItems"), done("It says so now, and nothing else is missing.", "approved")],
    ],
    CODING: [
      ...[call("update_todo_list", { content: todo(0) }), ...again],
      ...[call("write", { path: "weights.test.js", content: weightsTest }), shell("node --test")],
      ...[call("write", { path: "weights.js", content: weights }), shell("node --test")],
      ...[call("update_todo_list", { content: todo(2) }), read("index.ts"), read("explain.ts"), read("output.ts")],
      ...[search("export type"), shell("git diff --stat"), shell("ls -la src src/conversation")],
      ...[call("update_todo_list", { content: todo(4) }), done(`Wrote weights.js and its test. ${paragraph}`)],
      ...[read("tokenizer.ts"), call("edit", { path: "weights.js", old: "a - b", new: "b - a" }), shell("node --test")],
      done("The order was wrong; now the largest comes first."),
    ],
    TESTING: [
      ...[shell("node --test"), done("1 of 1 tests fails: the smallest comes first.", "failed")],
      ...[shell("node --test"), shell("git status --short"), done("1 of 1 tests passes.", "passed")],
    ],
    CODE_REVIEW: [
      ...[shell("git status --short"), call("read", { path: "weights.js" }), call("read", { path: "weights.test.js" })],
      ...[read("conversation/scale.ts"), shell("node --test"), done("Nothing has to change.", "approved")],
    ],
  };
}

/** The same replies in every run: the next one of the step that a request is in. */
export function tellStory(isForgetful: boolean): (request: ModelRequest) => ModelReply {
  const replies = repliesOf(isForgetful);
  const taken = new Map<string, number>();
  return ({ system }) => {
    const step = /^# The step (\S+)/m.exec(system)?.[1] ?? "";
    const index = taken.get(step) ?? 0;
    taken.set(step, index + 1);
    const reply = replies[step]?.[index];
    if (reply === undefined) throw new Error(`the story has no reply ${index} in ${step}`);
    return reply;
  };
}
