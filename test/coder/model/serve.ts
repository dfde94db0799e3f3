import type { IncomingHttpHeaders } from "node:http";
import { type Answer, listenOnLoopback } from "../../clients/loopback-server.ts";
import type { Breakage, ModelAnswer, ModelReply, ReplyUsage } from "./answer.ts";
import { anthropicWire } from "./anthropic/wire.ts";
import { chatWire } from "./chat/wire.ts";
import { type Fields, fields } from "./json.ts";
import { type CacheUse, promptCache } from "./prompt-cache.ts";
import { repeatedBytes } from "./repeated-bytes.ts";
import type { ModelRequest } from "./request.ts";
import { responsesWire } from "./responses/wire.ts";
import type { HttpError, Usage, Wire } from "./wire.ts";

const wires = {
  anthropic: anthropicWire,
  "openai-responses": responsesWire,
  "openai-chat": chatWire,
} as const;

export type WireName = keyof typeof wires;

export interface ScriptedModelOptions {
  readonly wire: WireName;
  readonly answer: (request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>;
}

export interface ScriptedModel {
  /** What a provider of the AI SDK takes as `baseURL`. */
  readonly baseUrl: string;
  /** Every request so far, in order of arrival, also those that were refused. */
  readonly requests: readonly ModelRequest[];
  /** What the provider would have refused, each with the number of its request. */
  readonly violations: readonly string[];
  /** What the script has thrown. */
  readonly failures: readonly unknown[];
  close(): void;
}

/** A model on loopback that speaks as a provider does, until it is closed. */
export async function serveScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const wire = wires[options.wire];
  const requests: ModelRequest[] = [];
  const violations: string[] = [];
  const failures: unknown[] = [];
  const cache = promptCache();
  const repeated = repeatedBytes();
  const { url, close } = await listenOnLoopback(async (path, posted, headers) => {
    if (path !== wire.path) return null;
    const body = fields(posted);
    const problems = wire.problems(body, headers);
    const index = requests.length;
    const blocks = wire.blocks(body);
    const sizes = { cache: cache.use(blocks), prefix: repeated.next(blocks) };
    const request = { ...wire.read(body), body, headers: singleHeaders(headers), ...sizes };
    requests.push(request);
    if (problems.length > 0) {
      violations.push(...problems.map((problem) => `request ${index}: ${problem}`));
      return httpError(wire.badRequest(problems.join("; ")));
    }
    try {
      return answerOf(await options.answer(request, index), wire, request);
    } catch (error) {
      failures.push(error);
      return httpError(wire.badRequest(String(error)));
    }
  });
  return { baseUrl: `${url}/v1`, requests, violations, failures, close };
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function httpError({ status, headers, value }: HttpError): Answer {
  return { type: "json", status, headers, value };
}

function answerOf(answer: ModelAnswer, wire: Wire, { body, cache }: ModelRequest): Answer {
  const firstHalf = (reply: ModelReply | undefined) => {
    if (reply === undefined) return [];
    const { frames } = wire.reply(reply, body, usageOf(reply.usage, cache));
    return frames.slice(0, Math.ceil(frames.length / 2));
  };
  if ("broken" in answer) return broken(answer.broken, firstHalf(answer.after));
  if (!("error" in answer)) return said(wire.reply(answer, body, usageOf(answer.usage, cache)), body);
  if (answer.error === "refusal") return said(wire.refusal(body, usageOf({}, cache)), body);
  if (answer.after === undefined) return httpError(wire.error(answer.error, answer.retryAfter));
  return streamed([...firstHalf(answer.after), wire.streamError(answer.error, body)], "end");
}

function said({ value, frames }: { value: object; frames: readonly string[] }, { stream }: Fields): Answer {
  return stream === true ? streamed(frames, "end") : { type: "json", status: 200, value };
}

function broken(kind: Breakage["broken"], pieces: readonly string[]): Answer {
  if (kind === "empty") return streamed([], "end");
  if (kind === "garbage") return streamed([...pieces, 'data: {"type": "cont\n\n'], "end");
  return streamed(pieces, kind);
}

function streamed(pieces: readonly string[], end: "end" | "cut" | "hang"): Answer {
  return { type: "pieces", headers: { "content-type": "text/event-stream; charset=utf-8" }, pieces, end };
}

/** Where a script tells its own input, the cache has the same share of it. */
function usageOf({ input, output = 10, cacheRead }: ReplyUsage = {}, { total, read, written }: CacheUse): Usage {
  const all = input ?? total;
  const share = (tokens: number) => (total === 0 ? 0 : Math.round((tokens / total) * all));
  const fromCache = cacheRead ?? share(read);
  return { input: all, output, cacheRead: fromCache, cacheWritten: Math.min(share(written), all - fromCache) };
}
