import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { pluginText } from "../../../src/hosts/opencode/plugin.ts";

/** Writes down what it is told, and answers each event with the text in the file of that name. */
const recorder = `
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const [, , ...words] = process.argv;
const told = { words, input: JSON.parse(readFileSync(0, "utf8")) };
appendFileSync(__dirname + "/told.jsonl", JSON.stringify(told) + "\\n");
const reply = __dirname + "/" + words.at(-1);
if (existsSync(reply)) process.stdout.write(readFileSync(reply));
`;

// biome-ignore lint/suspicious/noExplicitAny: the plugin is handed what opencode hands it, and worse
type Hooks = Readonly<Partial<Record<string, (input?: any, output?: any) => Promise<void>>>>;

let folder = "";
let asked: object[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-opencode-"));
  asked = [];
  write(".opencode/plugins/holdfast.js", pluginText);
  write(".holdfast/hook.cjs", recorder);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function answer(event: string, reply: object | string): void {
  write(`.holdfast/${event}`, typeof reply === "string" ? reply : JSON.stringify(reply));
}

function told(): { event: string; session: string; source?: string; trigger?: string; active?: boolean }[] {
  const lines = readFileSync(join(folder, ".holdfast/told.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { words, input } = JSON.parse(line);
    expect(words.slice(0, 4)).toEqual(["--host", "opencode", "--via", "project"]);
    const { source, trigger, stop_hook_active: active } = input;
    return { event: words[4], session: input.session_id, source, trigger, active };
  });
}

async function load(parents: Readonly<Record<string, string>> = {}): Promise<Hooks> {
  const { Holdfast, ...others } = await import(pathToFileURL(join(folder, ".opencode/plugins/holdfast.js")).href);
  // opencode calls every export.
  expect(others).toEqual({});
  const session = {
    get: async ({ path: { id } }: { path: { id: string } }) => ({ data: { id, parentID: parents[id] } }),
    promptAsync: async (call: object) => void asked.push(call),
  };
  return Holdfast({ client: { session }, directory: folder });
}

const message = (id: string, role: string, sessionID = "ses_1", more: object = {}) => ({
  info: { id, role, sessionID, ...more },
  parts: [{ type: "text", text: id }],
});

/** What the model is given: the texts of each message. */
async function request(hooks: Hooks, messages: readonly ReturnType<typeof message>[]): Promise<string[][]> {
  const copies = structuredClone([...messages]);
  await hooks["experimental.chat.messages.transform"]?.({}, { messages: copies });
  return copies.map(({ parts }) => parts.map(({ text }) => text));
}

it("puts the handoff before the first message after a loss, in every request until the next one", async () => {
  answer("SessionStart", { additionalContext: "HANDOFF" });
  answer("PreCompact", "Keep the knot\n");
  const hooks = await load();
  const first = [message("u1", "user"), message("a1", "assistant"), message("u2", "user")];
  expect(await request(hooks, first)).toEqual([["u1"], ["a1"], ["HANDOFF", "u2"]]);
  const later = [...first, message("a2", "assistant"), message("u3", "user")];
  expect(await request(hooks, later)).toEqual([["u1"], ["a1"], ["HANDOFF", "u2"], ["a2"], ["u3"]]);

  answer("SessionStart", { additionalContext: "NEWER" });
  const output = { context: ["theirs"] };
  await hooks["experimental.session.compacting"]?.({ sessionID: "ses_1" }, output);
  expect(output.context).toEqual(["theirs", "Keep the knot"]);
  // What is about to be summarized.
  expect(await request(hooks, later)).toEqual(later.map(({ info }) => [info.id]));
  const compacted = [
    message("c", "user"),
    message("s", "assistant", "ses_1", { summary: true }),
    message("u4", "user"),
  ];
  expect(await request(hooks, compacted)).toEqual([["c"], ["s"], ["NEWER", "u4"]]);
  expect(told().map(({ event, source }) => [event, source])).toEqual([
    ["SessionStart", "resume"],
    ["PreCompact", undefined],
    ["SessionStart", "compact"],
  ]);
});

it("tells a new session from a resumed one and from a copy", async () => {
  const hooks = await load();
  for (const id of ["new", "copy"])
    await hooks.event?.({ event: { type: "session.created", properties: { info: { id } } } });
  await request(hooks, [message("u1", "user", "new")]);
  await request(hooks, [
    message("u1", "user", "copy"),
    message("a1", "assistant", "copy"),
    message("u2", "user", "copy"),
  ]);
  expect(told().map(({ session, source }) => [session, source])).toEqual([
    ["new", "startup"],
    ["copy", "fork"],
  ]);
});

it("moves the handoff to the last message of the user when its message was taken back", async () => {
  answer("SessionStart", { additionalContext: "HANDOFF" });
  const hooks = await load();
  expect(await request(hooks, [message("u1", "user")])).toEqual([["HANDOFF", "u1"]]);
  expect(await request(hooks, [message("u2", "user")])).toEqual([["HANDOFF", "u2"]]);
});

it("leaves the sessions of subagents alone, and counts their calls for their parent", async () => {
  answer("SessionStart", { additionalContext: "HANDOFF" });
  answer("PreCompact", "Keep the knot");
  const hooks = await load({ child: "ses_1" });
  expect(await request(hooks, [message("u1", "user", "child")])).toEqual([["u1"]]);
  const output = { context: [] };
  await hooks["experimental.session.compacting"]?.({ sessionID: "child" }, output);
  expect(output.context).toEqual([]);
  await hooks["tool.execute.before"]?.({ tool: "holdfast_workflow_status", sessionID: "child" }, { args: {} });
  const shell = { env: { MINE: "1" } };
  await hooks["shell.env"]?.({ cwd: folder, sessionID: "child" }, shell);
  expect(shell.env).toEqual({ MINE: "1", HOLDFAST_SESSION: "ses_1" });
  expect(told().map(({ event, session }) => [event, session])).toEqual([["UserPromptSubmit", "ses_1"]]);
});

it("tells whose calls come next when several sessions share the process", async () => {
  const hooks = await load();
  await request(hooks, [message("u1", "user", "a")]);
  await request(hooks, [message("u1", "user", "b")]);
  await hooks["chat.message"]?.({ sessionID: "b" }, { message: {}, parts: [] });
  await hooks["chat.message"]?.({ sessionID: "a" }, { message: {}, parts: [] });
  await hooks["tool.execute.before"]?.({ tool: "holdfast_workflow_advance", sessionID: "b" }, { args: {} });
  await hooks["tool.execute.before"]?.({ tool: "bash", sessionID: "a" }, { args: {} });
  expect(told().map(({ event, session }) => [event, session])).toEqual([
    ["SessionStart", "a"],
    ["SessionStart", "b"],
    ["UserPromptSubmit", "a"],
    ["UserPromptSubmit", "b"],
  ]);
});

it("sends an agent back once after a turn of its own, and not after an interruption or a compaction", async () => {
  answer("SessionStart", { additionalContext: "HANDOFF" });
  answer("Stop", { decision: "block", reason: "Not yet" });
  const hooks = await load();
  const idle = { event: { type: "session.idle", properties: { sessionID: "ses_1" } } };
  const say = (text: string) =>
    hooks["chat.message"]?.(
      { sessionID: "ses_1" },
      { message: { agent: "plan", model: { providerID: "p", modelID: "m" } }, parts: [{ type: "text", text }] },
    );
  await say("Go on");
  await request(hooks, [message("u1", "user")]);
  await hooks.event?.(idle);
  const parts = [{ type: "text", text: "Not yet", synthetic: true }];
  const body = { agent: "plan", model: { providerID: "p", modelID: "m" }, parts };
  expect(asked).toEqual([{ path: { id: "ses_1" }, body }]);
  await say("Not yet");
  await hooks.event?.(idle);
  // As after a compaction.
  await hooks.event?.(idle);
  await say("Go on");
  await hooks.event?.({ event: { type: "session.error", properties: { sessionID: "ses_1" } } });
  await hooks.event?.(idle);
  expect(asked).toHaveLength(1);
  const stops = told().filter(({ event }) => event === "Stop");
  expect(stops.map(({ active }) => active)).toEqual([false, true, false]);
});

it("uses the system prompt where opencode lets no messages be changed, except for titles and summaries", async () => {
  answer("SessionStart", { additionalContext: "HANDOFF" });
  const hooks = await load();
  const system = async (...texts: string[]) => {
    await hooks["experimental.chat.system.transform"]?.({ sessionID: "ses_1" }, { system: texts });
    return texts;
  };
  expect(await system("You are a title generator. You output ONLY a title.")).toHaveLength(1);
  expect(await system("You are opencode")).toEqual(["You are opencode", "HANDOFF"]);
  expect(await system("You are opencode")).toEqual(["You are opencode", "HANDOFF"]);
  await hooks["session.compaction"]?.({ sessionID: "ses_1" }, {});
  expect(await system("Summarize")).toEqual(["Summarize"]);
  expect(await system("You are opencode")).toEqual(["You are opencode", "HANDOFF"]);
  expect(told().map(({ source }) => source)).toEqual(["resume", undefined, "compact"]);
});

it.each([
  ["is missing", null],
  ["fails", "process.exit(1)"],
  ["prints what is no reply", 'process.stdout.write("{ no")'],
  ["does not read", "process.stdin.destroy()"],
])("changes nothing and throws nothing when Holdfast %s", async (_how, program) => {
  write(".holdfast/hook.cjs", program ?? "");
  if (program === null) write(".opencode/plugins/holdfast.js", pluginText.replace("hook.cjs", "none.cjs"));
  const hooks = await load();
  expect(await request(hooks, [message("u1", "user")])).toEqual([["u1"]]);
  const output = { context: [] };
  await hooks["experimental.session.compacting"]?.({ sessionID: "ses_1" }, output);
  expect(output.context).toEqual([]);
});

it("goes on when Holdfast does not answer in time", async () => {
  write(".opencode/plugins/holdfast.js", pluginText.replace("6_000", "200"));
  write(".holdfast/hook.cjs", "setInterval(() => {}, 1_000)");
  expect(await request(await load(), [message("u1", "user")])).toEqual([["u1"]]);
});

it("throws nothing at anything that an opencode of another version might hand it", async () => {
  const hooks = await load();
  const strange = [undefined, null, {}, { sessionID: 7 }, { sessionID: "s" }, { event: {} }, { event: { type: 7 } }];
  const outputs = [undefined, null, {}, { messages: [{}] }, { messages: 7, system: [], context: 7, env: null }];
  const calls = Object.keys(hooks).flatMap((name) =>
    strange.flatMap((input) => outputs.map((output) => hooks[name]?.(input, output))),
  );
  expect(await Promise.all(calls)).toEqual(calls.map(() => undefined));
});
