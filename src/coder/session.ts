import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolSet } from "ai";
import type { Context } from "../context/context.ts";
import { isContextError } from "../context/conversation/context-error.ts";
import type { AssistantPart, ModelMessage, ToolCallPart } from "../context/conversation/message.ts";
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
import { askModel, type ModelRequest, type Reply } from "./ask-model.ts";
import { callTools, endsTurn, type Workbench } from "./call-tools.ts";
import { openConversation } from "./conversation-file.ts";
import type { McpServers } from "./mcp/servers.ts";
import { modelOptions, reserveOf, windowOf } from "./model-limits.ts";
import type { Provider } from "./providers.ts";
import { acceptedText, resultOfCall } from "./run-tools.ts";
import type { CoderSettings } from "./settings.ts";
import { createSummarizer, type Summarizer } from "./summary.ts";
import { beginText, goOnText, systemPrompt } from "./system-prompt.ts";
import { toolSet } from "./tool-set.ts";
import { createPolicy } from "./tools/command-policy.ts";
import type { ToolScene } from "./tools/tool.ts";

/** What a model needs to work as an agent. */
export interface Coder {
  readonly provider: Provider;
  /** The model that a step gets. */
  model(hints: Hints, onEvent: SessionOptions["onEvent"]): string;
  readonly settings: CoderSettings;
  /** Variables that commands get besides the usual ones. */
  readonly passed: readonly string[];
  readonly mcp: McpServers;
}

/** One conversation with a model. It is on disk at every moment, so a session that opens later goes on with it. */
export function createCoderSession(coder: Coder, options: SessionOptions): AgentSession {
  const summarizer = createSummarizer(coder, windowOf(coder));
  const kept = openConversation(options.folder, { ...modelOptions(coder, {}), ...summarizer.options });
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-coder-"));
  const { context, save } = kept;
  const mcp = coder.mcp.open({ cwd: realpathSync(options.cwd), env: options.env, passed: coder.passed });
  let tools: ToolSet | null = null;
  let abort = new AbortController();
  return {
    async prompt({ visit }, hints) {
      abort = new AbortController();
      if (tools === null) {
        tools = await toolSet(mcp.tools);
        context.useModel(modelOptions(coder, tools));
      }
      const root = realpathSync(options.cwd);
      const isNew = context.log().length === 0;
      const found = await begin(context, visit, { root, isNew, run: options.run });
      save();
      if (found !== null) return { type: "answered", text: found.output, result: found };
      const scene = sceneOf(coder, options, hints, { root, scratch, signal: abort.signal });
      const { onEvent } = options;
      const bench = { context, run: options.run, scene, mcp, hints, save, onEvent };
      return work(bench, await requestFor(coder, bench, tools, summarizer));
    },
    async compact() {
      abort = new AbortController();
      const isEmpty = context.conversation().length === 0;
      const isCompacted = !isEmpty && (await compactTo(context, [0.5, 0.75, 0.9], abort.signal));
      if (isCompacted) options.onEvent({ type: "compacted" });
      save();
      return isEmpty || isCompacted;
    },
    async clear() {
      const prompt = context.systemPrompt();
      context.repair();
      if (prompt !== undefined) context.resetSystemPrompt(prompt.content, { conversation: "clear" });
      save();
      options.onEvent({ type: "cleared" });
      return true;
    },
    knows: (text) => hasSaid(context, text, options.run),
    interrupt: () => abort.abort(),
    async close() {
      abort.abort();
      kept.close();
      await mcp.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Compacts to the first of these shares that can be reached. False if all that there is must stay. */
async function compactTo(context: Context, shares: readonly number[], signal: AbortSignal): Promise<boolean> {
  for (const share of shares) {
    try {
      const { status } = await context.compact(Math.max(1, Math.floor(context.tokens() * share)), { signal });
      return status === "compacted";
    } catch (error) {
      if (!isContextError(error, "cannot-shrink")) throw error;
    }
  }
  return false;
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
  const isSame =
    context.conversation().length > 0 && context.log().findLast((entry) => isBegin(entry.source))?.source === source;
  if (isSame) acceptResult(context);
  await closeCalls(context, run);
  const current = context.systemPrompt()?.content ?? "";
  if (!(isSame ? holdsAll(current, prompt) : current === prompt.trim())) context.resetSystemPrompt(prompt);
  if (!isSame) context.append("user", run.mask(beginText(visit, isNew)), { source });
  const { again, told, more } = newsOf(context, visit, run);
  const isKilled = isSame && visit.again !== "" && told.length === 0 && more.length === 0;
  const result = isSame ? lastResult(context) : null;
  if (isKilled && result !== null) return result;
  const news = [...again, ...told, ...more];
  for (const text of news) context.append("user", text, { source: "feedback" });
  const isOver = result !== null || context.conversation().at(-1)?.role === "assistant";
  if (news.length === 0 && isOver) context.append("user", goOnText(visit), { source: "phase" });
  return null;
}

/** What was loaded once for a visit is not said again when the visit goes on, so it must not be taken out of index 0. */
function holdsAll(current: string, prompt: string): boolean {
  return prompt.split("\n\n").every((paragraph) => current.includes(paragraph.trim()));
}

/** What the conversation does not have yet. A turn that failed has left there what it began with. */
function newsOf(context: Context, visit: VisitPrompt, { mask }: SessionOptions["run"]) {
  const log = context.log();
  const ofVisit = log.slice(log.findLastIndex(({ source }) => isBegin(source)) + 1);
  const unanswered = log.slice(log.findLastIndex(({ message }) => message.role === "assistant") + 1);
  const ofTurn = log.slice(log.findLastIndex(({ message }) => isTurnEnd(message)) + 1);
  const missing = (texts: readonly string[], among: typeof log) =>
    texts
      .map((text) => mask(text).trim())
      .filter((text) => text !== "" && !among.some(({ message }) => message.content === text));
  return {
    again: missing([visit.again], unanswered),
    told: missing(visit.told, ofVisit),
    more: missing([visit.more], ofTurn),
  };
}

function isTurnEnd(message: ModelMessage): boolean {
  if (message.role !== "assistant") return false;
  const calls = callsIn(message);
  return calls.length === 0 || calls.some(({ toolName }) => endsTurn.includes(toolName));
}

function isBegin(source: string | null): boolean {
  return source?.startsWith("visit:") === true;
}

/** A kill after a reply that ends the visit takes nothing from it: the call has no effect but its result. */
function acceptResult(context: Context): void {
  const [call, ...others] = context.outstanding();
  const isAlone = others.length === 0 && callsIn(context.conversation().at(-1) ?? { content: "" }).length === 1;
  if (call === undefined || !isAlone || resultOfCall(call.toolName, call.input) === null) return;
  const { toolCallId, toolName } = call;
  const output = { type: "text", value: acceptedText };
  context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }], { source: "tool" });
}

/** A question gets its answer as the result of its call. What else is open was interrupted, and the model is told so. */
async function closeCalls(context: Context, run: SessionOptions["run"]): Promise<void> {
  for (const { toolCallId, toolName, input } of context.outstanding()) {
    const question = toolName === "ask_question" && isRecord(input) ? input.question : null;
    if (typeof question !== "string") continue;
    const answer = await run.answerTo(question.trim());
    const output =
      answer === null
        ? { type: "error-text", value: "There is no answer: the question was withdrawn, or did not reach the person." }
        : { type: "text", value: run.mask(`The person answers:\n${answer}`) };
    context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }], { source: "answer" });
  }
  context.repair();
}

/** The result in a conversation that ends with it: the runner was killed before it had it. */
function lastResult(context: Context): Result | null {
  const [asked, answered] = context.conversation().slice(-2);
  if (asked?.role !== "assistant" || answered?.role !== "tool" || typeof asked.content === "string") return null;
  const isAccepted = answered.content.every((part) => part.type === "tool-result" && part.output.type === "text");
  const [call, ...others] = callsIn(asked);
  return isAccepted && call !== undefined && others.length === 0 ? resultOfCall(call.toolName, call.input) : null;
}

/** Whether a call in the conversation was made with exactly this text, as the journal has it: a plan, a result or a question. */
function hasSaid(context: Context, text: string, { recorded }: SessionOptions["run"]): boolean {
  const wanted = text.trim();
  const calls = [...context.conversation().flatMap(callsIn), ...context.outstanding()];
  const isWanted = (value: unknown) => typeof value === "string" && recorded(value).trim() === wanted;
  return calls.some(
    ({ toolName, input }) => endsTurn.includes(toolName) && isRecord(input) && Object.values(input).some(isWanted),
  );
}

function callsIn({ content }: { readonly content: string | readonly object[] }): ToolCallPart[] {
  return typeof content === "string" ? [] : (content as AssistantPart[]).filter((part) => part.type === "tool-call");
}

/** How the model is asked in a turn. */
async function requestFor(coder: Coder, bench: Workbench, tools: ToolSet, summarizer: Summarizer) {
  const { context, scene, hints, onEvent } = bench;
  const name = coder.model(hints, onEvent);
  const model = await coder.provider.open(name);
  onEvent({ type: "model", model: name });
  const maxOutputTokens = reserveOf(windowOf(coder));
  const options = coder.provider.options(hints.effort);
  const { signal } = scene;
  const request = { context, model, tools, options, maxOutputTokens, signal, onOverflow: summarizer.skipOne, onEvent };
  summarizer.use(request);
  return request;
}

/** Goes on until the model ends the visit, asks a person, says nothing more to do, or cannot go on. */
async function work(bench: Workbench, request: ModelRequest): Promise<Turn> {
  const { save } = bench;
  for (let cuts = 0; ; ) {
    const reply = await askModel(request);
    save();
    if ("failure" in reply) return { type: "failed", failure: reply.failure };
    cuts = reply.isCut ? cuts + 1 : 0;
    if (cuts === mostCuts) return { type: "failed", failure: { kind: "garbage", reason: cutsText } };
    const turn = await afterReply(bench, reply);
    if (turn !== null) return turn;
  }
}

/** How the turn ends after a reply; null if the model goes on. */
async function afterReply(bench: Workbench, reply: Extract<Reply, { text: string }>): Promise<Turn | null> {
  const { context, scene } = bench;
  const { text, isCut, calls } = reply;
  if (calls === 0) {
    if (!isCut) return { type: "answered", text };
    context.append("user", cutText, { source: "phase" });
    return null;
  }
  const { result, waits } = await callTools(bench, calls);
  if (result !== undefined) return { type: "answered", text: result.output, result };
  if (waits === true) return { type: "answered", text: "" };
  return scene.signal.aborted ? { type: "failed", failure: { kind: "lost", reason: "the turn was ended" } } : null;
}

/** So many replies in a row that were cut, and the next will be cut, too. */
const mostCuts = 3;
const cutsText = `${mostCuts} replies in a row were cut off by their length limit`;
const cutText = "Your reply was cut off by its length limit. Go on, in smaller pieces.";
