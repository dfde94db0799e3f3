import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolSet } from "ai";
import type { Context } from "../context/context.ts";
import type { AssistantPart, ToolCallPart } from "../context/conversation/message.ts";
import { isRecord } from "../model/json.ts";
import type { Hints } from "../model/visit-rules.ts";
import {
  type AgentSession,
  narrower,
  type Result,
  type SessionOptions,
  type Turn,
  type VisitPrompt,
} from "../runner/agents/agent.ts";
import { askModel, type Reply } from "./ask-model.ts";
import { callTools, type Workbench } from "./call-tools.ts";
import { openConversation } from "./conversation-file.ts";
import type { Provider } from "./providers.ts";
import { resultOfCall } from "./run-tools.ts";
import type { CoderSettings } from "./settings.ts";
import { beginText, systemPrompt } from "./system-prompt.ts";
import { toolSet } from "./tool-set.ts";
import { createPolicy } from "./tools/command-policy.ts";
import type { ToolScene } from "./tools/tool.ts";

/** What a model needs to work as an agent. */
export interface Coder {
  readonly provider: Provider;
  readonly model: string;
  readonly settings: CoderSettings;
  /** Variables that commands get besides the usual ones. */
  readonly passed: readonly string[];
}

/** One conversation with a model. It is on disk at every moment, so a session that opens later goes on with it. */
export function createCoderSession(coder: Coder, options: SessionOptions): AgentSession {
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-coder-"));
  const kept = openConversation(options.folder, modelOptions(coder, {}));
  const { context, save } = kept;
  let tools: ToolSet | null = null;
  let abort = new AbortController();
  return {
    async prompt({ visit }, hints) {
      abort = new AbortController();
      if (tools === null) {
        tools = await toolSet();
        context.useModel(modelOptions(coder, tools));
      }
      const root = realpathSync(options.cwd);
      const isNew = !kept.isRestored && context.conversation().length === 0;
      const found = await begin(context, visit, { root, isNew, run: options.run });
      save();
      if (found !== null) return { type: "answered", text: found.output, result: found };
      const scene = sceneOf(coder, options, hints, { root, scratch, signal: abort.signal });
      const { onEvent } = options;
      return work(coder, { context, run: options.run, scene, hints, save, onEvent }, tools);
    },
    async compact() {
      const { before, after } = await context.compact(Math.floor(context.tokens() / 2));
      save();
      options.onEvent({ type: "compacted" });
      return after <= before;
    },
    async clear() {
      const prompt = context.systemPrompt();
      context.repair();
      if (prompt !== undefined) context.resetSystemPrompt(prompt.content, { conversation: "clear" });
      save();
      options.onEvent({ type: "cleared" });
      return true;
    },
    knows: (text) => hasSaid(context, text),
    interrupt: () => abort.abort(),
    async close() {
      abort.abort();
      kept.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

function modelOptions({ provider, settings }: Coder, tools: ToolSet) {
  const window = settings.window ?? provider.window;
  const shown = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    countTokens: (text: string) => text.length / charactersPerToken,
    limits: { window, reserve: reserveOf(window) },
    tools: shown,
  };
}

/** On the careful side; what the provider reports corrects it. */
const charactersPerToken = 3.3;

function reserveOf(window: number): number {
  return Math.min(16_000, Math.floor(window / 4));
}

function sceneOf(
  { settings, passed }: Coder,
  { env, permissions }: SessionOptions,
  hints: Hints,
  place: Pick<ToolScene, "root" | "scratch" | "signal">,
): ToolScene {
  return {
    ...place,
    env,
    level: narrower(permissions, hints.permissions),
    policy: createPolicy({ allow: settings.allow ?? [], ask: settings.ask ?? [], deny: settings.deny ?? [] }),
    deniedNames: settings.deny_files ?? [],
    hiddenVariables: [],
    passedVariables: passed,
    sandbox: true,
  };
}

interface Beginning {
  readonly root: string;
  /** Nothing is known of the run: it goes on from elsewhere. */
  readonly isNew: boolean;
  readonly run: SessionOptions["run"];
}

/** Takes up the visit: renders index 0 and adds what is new. Not null if the visit's result is already known. */
async function begin(context: Context, visit: VisitPrompt, { root, isNew, run }: Beginning): Promise<Result | null> {
  const source = `visit:${visit.token}`;
  const prompt = run.mask(systemPrompt(root, visit));
  await closeCalls(context, run);
  const isSame =
    context.conversation().length > 0 && context.log().findLast((entry) => isBegin(entry.source))?.source === source;
  const current = context.systemPrompt()?.content ?? "";
  if (!(isSame ? holdsAll(current, prompt) : current === prompt.trim())) context.resetSystemPrompt(prompt);
  if (!isSame) context.append("user", run.mask(beginText(visit, isNew)), { source });
  const found = isSame && visit.more === "" && visit.told === "" ? lastResult(context) : null;
  if (found !== null) return found;
  for (const text of [visit.again, visit.told, visit.more]) {
    if (text !== "") context.append("user", run.mask(text), { source: "feedback" });
  }
  return null;
}

/** What was loaded once for a visit is not said again when the visit goes on, so it must not be taken out of index 0. */
function holdsAll(current: string, prompt: string): boolean {
  return prompt.split("\n\n").every((paragraph) => current.includes(paragraph.trim()));
}

function isBegin(source: string | null): boolean {
  return source?.startsWith("visit:") === true;
}

/** A question gets its answer as the result of its call. What else is open was interrupted, and the model is told so. */
async function closeCalls(context: Context, run: SessionOptions["run"]): Promise<void> {
  for (const { toolCallId, toolName, input } of context.outstanding()) {
    const question = toolName === "ask_question" && isRecord(input) ? input.question : null;
    const answer = typeof question === "string" ? await run.answerTo(question.trim()) : null;
    if (answer === null) continue;
    const output = { type: "text", value: run.mask(`The person answers:\n${answer}`) };
    context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }], { source: "answer" });
  }
  context.repair();
}

/** The result in a conversation that ends with it: the runner was killed before it had it. */
function lastResult(context: Context): Result | null {
  const [asked, answered] = context.conversation().slice(-2);
  if (asked?.role !== "assistant" || answered?.role !== "tool" || typeof asked.content === "string") return null;
  const isAccepted = answered.content.some((part) => part.type === "tool-result" && part.output.type === "text");
  const call = asked.content.find((part) => part.type === "tool-call");
  return isAccepted && call?.type === "tool-call" ? resultOfCall(call.toolName, call.input) : null;
}

/** Whether a call in the conversation was made with exactly this text: a plan, a result or a question. */
function hasSaid(context: Context, text: string): boolean {
  const wanted = text.trim();
  const calls = [...context.conversation().flatMap(callsIn), ...context.outstanding()];
  return calls.some(({ input }) => isRecord(input) && Object.values(input).some((value) => isText(value, wanted)));
}

function callsIn({ content }: { readonly content: string | readonly object[] }): ToolCallPart[] {
  return typeof content === "string" ? [] : (content as AssistantPart[]).filter((part) => part.type === "tool-call");
}

function isText(value: unknown, wanted: string): boolean {
  return typeof value === "string" && value.trim() === wanted;
}

/** Goes on until the model ends the visit, asks a person, says nothing more to do, or cannot go on. */
async function work({ provider, model: name, settings }: Coder, bench: Workbench, tools: ToolSet): Promise<Turn> {
  const { context, scene, hints, save, onEvent } = bench;
  const model = await provider.open(hints.model ?? name);
  onEvent({ type: "model", model: hints.model ?? name });
  const maxOutputTokens = reserveOf(settings.window ?? provider.window);
  const { signal } = scene;
  const options = provider.options(hints.effort);
  const request = { context, model, tools, options, maxOutputTokens, signal, onEvent };
  for (;;) {
    const reply = await askModel(request);
    save();
    if ("failure" in reply) return { type: "failed", failure: reply.failure };
    const turn = await afterReply(bench, reply);
    if (turn !== null) return turn;
  }
}

/** How the turn ends after a reply; null if the model goes on. */
async function afterReply(bench: Workbench, { text, isCut }: Extract<Reply, { text: string }>): Promise<Turn | null> {
  const { context, scene } = bench;
  if (context.outstanding().length === 0) {
    if (!isCut) return { type: "answered", text };
    context.append("user", cutText, { source: "phase" });
    return null;
  }
  const { result, waits } = await callTools(bench);
  if (result !== undefined) return { type: "answered", text: result.output, result };
  if (waits === true) return { type: "answered", text: "" };
  return scene.signal.aborted ? { type: "failed", failure: { kind: "lost", reason: "the turn was ended" } } : null;
}

const cutText = "Your reply was cut off by its length limit. Go on, in smaller pieces.";
