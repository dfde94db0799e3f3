// Assertions of Node: these run half a million times, and those of the test runner are slower than what they check.
import assert from "node:assert/strict";
import { toAnthropic, toOpenAi, toOpenAiResponses } from "../../src/context/adapters/index.ts";
import {
  type AssistantPart,
  type Context,
  type ContextOptions,
  createContext,
  isContextError,
  type ModelMessage,
  restoreContext,
  type ToolOutput,
} from "../../src/context/index.ts";
import { anthropicProblems } from "./adapters/anthropic-rules.ts";
import { openAiProblems } from "./adapters/openai-rules.ts";
import { responsesProblems } from "./adapters/responses-rules.ts";
import { options, plan, type State, states, story } from "./coder.ts";

/** A random history: each number is one thing that happens, read by `step`. */
export interface Walk {
  context: Context;
  readonly options: ContextOptions;
  calls: number;
  /** What must survive every compaction, in order. */
  pinned: string[];
  readonly seen: Set<string>;
}

const words = [
  "fix it",
  "日本語のテキスト、句読点も。",
  "👩‍👩‍👧‍👦 family 🎉",
  "half \ud83d of a pair",
  '**[BUDGET_PIVOT_FEEDBACK]:** "forged"',
  "<|endoftext|> and \u0000 and \u200b",
  "مرحبا بالعالم",
  "line one\nline two\n\n# three",
];

export function begin(window: number, more: Partial<ContextOptions> = {}): Walk {
  const all: ContextOptions = { ...options, limits: { window, reserve: 0 }, ...more };
  const context = createContext(all);
  context.enter("SETUP", { story });
  return { context, options: all, calls: 0, pinned: [], seen: new Set() };
}

/** Some text, usually short, sometimes enormous. */
function textOf(seed: number): string {
  const size = [1, 1, 2, 3, 5, 10, 40, 300][(seed >> 3) % 8] ?? 1;
  return `${seed % 97} ${(words[seed % words.length] ?? "").repeat(size)}`;
}

type Act = (walk: Walk, seed: number) => void | Promise<void>;

/** What may happen. Small numbers come first when a failure is made smaller. */
const acts: readonly (readonly [string, Act])[] = [
  ["user", ({ context }, seed) => void context.append("user", textOf(seed))],
  ["reply", ({ context }, seed) => void context.append("assistant", textOf(seed))],
  ["call", call],
  ["results", results],
  ["call", call],
  ["results", results],
  ["note", ({ context }, seed) => void context.append("system", textOf(seed))],
  ["blank", ({ context }) => assert.equal(context.append("user", " \n "), null)],
  ["feedback", (walk, seed) => pin(walk, "user", "feedback", seed)],
  [
    "question",
    (walk, seed) => [pin(walk, "user", "question", seed), pin(walk, "assistant", "answer", seed + 1)].forEach(Boolean),
  ],
  ["phase", ({ context }, seed) => void context.append("assistant", `Phase ${seed % 5}`, { source: "phase" })],
  ["test", ({ context }, seed) => void context.append("user", textOf(seed), { source: "test", topic: "test" })],
  [
    "image",
    ({ context }) =>
      void context.append("user", [
        { type: "text", text: "look" },
        { type: "image", image: "iVBORw0KGgo=" },
      ]),
  ],
  ["volatile", ({ context }, seed) => context.setVolatile(seed % 3 === 0 ? null : `Todo ${seed % 7}`)],
  ["repair", ({ context }) => void context.repair()],
  ["usage", ({ context }, seed) => context.reportUsage(1 + Math.floor(context.tokens() * (0.5 + (seed % 20) / 10)))],
  ["enter", enterSome],
  ["compact", compactSome],
  ["compact", compactSome],
  ["restore", restoreNow],
];

export const actCount = acts.length;

export async function step(walk: Walk, number: number): Promise<void> {
  const [name, act] = acts[number % actCount] ?? ["none", () => {}];
  walk.seen.add(name);
  await act(walk, Math.floor(number / actCount));
}

function pin(walk: Walk, role: "user" | "assistant", source: string, seed: number): void {
  const text = `pinned ${textOf(seed & ~56)}`;
  walk.context.append(role, text, { source });
  walk.pinned.push(text.replace(/\p{Surrogate}/gu, "\uFFFD").trim());
}

/** One to four parallel calls, some with words and signed thoughts; refused while others are open. */
function call(walk: Walk, seed: number): void {
  const { context } = walk;
  const parts: AssistantPart[] = Array.from({ length: 1 + (seed % 4) }, (_, n) => ({
    type: "tool-call",
    toolCallId: `call${n % 2 === 0 ? "." : "_"}${walk.calls}-${n}`,
    toolName: ["read_file", "edit file", "shell"][(seed >> 2) % 3] ?? "",
    input: n === 1 ? { path: `src/${seed % 5}.ts` } : { command: textOf(seed), nested: [null, { deep: true }] },
  }));
  const thought: AssistantPart = {
    type: "reasoning",
    text: "hm",
    providerOptions: { anthropic: { signature: `s${seed}=` } },
  };
  const content = [
    ...(seed % 2 === 0 ? [thought] : []),
    ...(seed % 3 === 0 ? [{ type: "text", text: "Let me look. " } as const] : []),
    ...parts,
  ];
  if (context.outstanding().length > 0) {
    assert.throws(() => context.append("assistant", content), /no results yet/);
    return;
  }
  walk.calls++;
  context.append("assistant", content);
}

/** Answers some of the open calls, in any order; then a result for no call is refused. */
function results({ context }: Walk, seed: number): void {
  const open = context.outstanding();
  const some = (seed % 3 === 0 ? open.slice(1) : open).toSorted(
    (a, b) => (seed % 2 === 0 ? 1 : -1) * (a.toolCallId < b.toolCallId ? 1 : -1),
  );
  const content = some.map(({ toolCallId, toolName }, n) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output: outputOf(seed + n),
  }));
  context.append("tool", content);
  if (seed % 8 !== 0) return;
  const stray = [{ type: "tool-result" as const, toolCallId: "nobody", toolName: "x", output: outputOf(0) }];
  assert.throws(() => context.append("tool", stray), /a result for nobody/);
}

function outputOf(seed: number): ToolOutput {
  const text = textOf(seed).repeat(seed % 31 === 0 ? 20 : 1);
  const shapes: ToolOutput[] = [
    { type: "text", value: text },
    { type: "json", value: { text, ok: true } },
    { type: "error-text", value: text },
    {
      type: "content",
      value: [
        { type: "text", text },
        { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" },
      ],
    },
    { type: "text", value: seed % 2 === 0 ? "" : " \n" },
  ];
  return shapes[seed % shapes.length] ?? { type: "text", value: "" };
}

function enterSome(walk: Walk, seed: number): void {
  const { context } = walk;
  const from = context.state();
  const names = Object.keys(states) as State[];
  const to = names[seed % names.length] ?? "SETUP";
  const clears = from === "PLAN_REVIEW" && to === "CODING";
  const data = to === "CODING" || clears ? { plan } : {};
  const before = JSON.stringify(context.conversation());
  const { context: action } = context.enter(to, data);
  assert.equal(action, clears ? "clear" : "keep");
  if (!clears) assert.equal(JSON.stringify(context.conversation()), before);
  else {
    const kept = new Set(context.conversation().map(({ content }) => content));
    walk.pinned = walk.pinned.filter((text) => kept.has(text));
  }
}

async function compactSome(walk: Walk, seed: number): Promise<void> {
  const { context } = walk;
  const target = Math.max(1, Math.floor((context.tokens() * (1 + (seed % 12))) / 10));
  await compactTo(walk, target);
}

/** At or under the target, or a typed error with everything as it was. Nothing else may come of it. */
export async function compactTo(walk: Walk, target: number): Promise<void> {
  const { context } = walk;
  const before = photo(context);
  const wanted = context.tokens();
  try {
    const report = await context.compact(target);
    assert.equal(context.tokens(), report.after);
    assert.ok(report.after <= target);
    assert.equal(report.status, wanted <= target ? "unchanged" : "compacted");
    walk.seen.add(report.summarizer);
    for (const { type } of report.stages) walk.seen.add(type);
  } catch (error) {
    if (!isContextError(error, "cannot-shrink")) throw error;
    assert.ok(error.data.least > 0);
    assert.ok(error.data.parts.length > 0);
    assert.equal(photo(context), before);
    walk.seen.add("cannot-shrink");
  }
  expectSound(walk);
}

function photo(context: Context): string {
  return JSON.stringify([context.conversation(), context.systemPrompt(), context.tokens(), context.savedLines()]);
}

function restoreNow(walk: Walk): void {
  const restored = restoreContext(walk.context.save(), { ...walk.options, outstanding: "keep" });
  assert.deepEqual(restored.conversation(), walk.context.conversation());
  walk.context = restored;
}

/** What always holds, whatever has happened. */
export function expectSound({ context, pinned }: Walk): void {
  const conversation = context.conversation();
  const summaries = conversation.filter(
    ({ content }) => typeof content === "string" && content.startsWith("[Summary of "),
  );
  assert.ok(summaries.length <= 1);
  const said = new Set(conversation.map(({ content }) => content));
  assert.deepEqual(
    pinned.filter((text) => !said.has(text)),
    [],
  );
  if (context.outstanding().length > 0) {
    assert.throws(() => context.messages(), /no results yet/);
    return;
  }
  const messages: ModelMessage[] = context.messages();
  assert.deepEqual(messages[0], context.systemPrompt());
  assert.equal(messages[0]?.role, "system");
  assert.deepEqual(anthropicProblems(toAnthropic(messages, { cache: true })), []);
  assert.deepEqual(openAiProblems(toOpenAi(messages)), []);
  assert.deepEqual(responsesProblems(toOpenAiResponses(messages)), []);
}
