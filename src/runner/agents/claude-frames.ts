import { isRecord, ownEntry } from "../../model/json.ts";
import type { AgentEvent, AgentFailure, Turn } from "./agent.ts";

/** One line that Claude Code prints. */
export type Frame = Readonly<Record<string, unknown>>;

/** Reads the frames of one turn. */
export interface TurnReader {
  readonly hasCompacted: boolean;
  /** What a frame tells whoever watches. */
  read(frame: Frame): readonly AgentEvent[];
  /** How the turn has ended, by its last frame. */
  end(result: Frame): Turn;
}

export function createTurnReader(): TurnReader {
  const denied = new Set<unknown>();
  const messages = new Set<unknown>();
  const inputs = new Map<unknown, unknown>();
  let error: string | undefined;
  let until: string | undefined;
  let hasWorked = false;
  let hasCompacted = false;
  const deny = ({ tool_name, tool_use_id, tool_input = inputs.get(tool_use_id) }: Frame): AgentEvent[] => {
    if (denied.has(tool_use_id)) return [];
    denied.add(tool_use_id);
    return [{ type: "permission-denied", tool: textIn(tool_name), allow: allowing(textIn(tool_name), tool_input) }];
  };
  const readers: Readonly<Record<string, (frame: Frame) => AgentEvent[]>> = {
    "system/init": ({ model }) => (typeof model === "string" ? [{ type: "model", model }] : []),
    "system/compact_boundary": () => {
      hasCompacted = true;
      return [{ type: "compacted" }];
    },
    "system/permission_denied": deny,
    rate_limit_event: ({ rate_limit_info: info }) => {
      const isRejected = isRecord(info) && info.status === "rejected";
      until = isRejected && typeof info.resetsAt === "number" ? timeOf(info.resetsAt) : undefined;
      return [];
    },
    assistant: (frame) => {
      const blocks = blocksIn(frame);
      if (typeof frame.error === "string") {
        error = frame.error;
        return [];
      }
      const used = messages.has(messageIn(frame).id) ? [] : usageOf(messageIn(frame));
      messages.add(messageIn(frame).id);
      const calls = blocks.filter(({ type }) => type === "tool_use");
      for (const { id, input } of calls) inputs.set(id, input);
      hasWorked ||= calls.length > 0;
      return [...used, ...blocks.flatMap((block) => shown(block, frame.parent_tool_use_id != null))];
    },
    result: ({ permission_denials: denials }) => (Array.isArray(denials) ? denials.filter(isRecord).flatMap(deny) : []),
  };
  return {
    get hasCompacted() {
      return hasCompacted;
    },
    read(frame) {
      const name = frame.type === "system" ? `system/${textIn(frame.subtype)}` : textIn(frame.type);
      const events = ownEntry(readers, name)?.(frame) ?? [];
      return events.length > 0 ? events : [{ type: "alive" }];
    },
    end(result) {
      const text = textIn(result.result);
      const kind = result.is_error === true ? kindOf(error, result) : null;
      const isEmpty = kind === null && text.trim() === "" && !hasWorked;
      if (isEmpty) return failed({ kind: "empty", reason: "the model answered nothing" });
      if (kind === null) return { type: "answered", text };
      const reason = text === "" ? `the turn ended with ${textIn(result.subtype)}` : text.slice(0, 500);
      return failed({ kind, reason, ...(kind === "limit" && until !== undefined && { until }) });
    },
  };
}

/** What Claude Code calls the error of a turn, and what it means for the run. */
const errorKinds: Readonly<Record<string, AgentFailure["kind"]>> = {
  rate_limit: "limit",
  overloaded: "overloaded",
  server_error: "overloaded",
  authentication_failed: "key",
  oauth_org_not_allowed: "key",
  billing_error: "quota",
  model_not_found: "not-started",
  // Another attempt may be shorter.
  max_output_tokens: "lost",
  invalid_request: "garbage",
  unknown: "garbage",
};

/** For errors that have no name here. */
const statusKinds: Readonly<Record<number, AgentFailure["kind"]>> = {
  401: "key",
  403: "key",
  429: "limit",
  529: "overloaded",
};

function kindOf(error: string | undefined, { stop_reason, api_error_status: status }: Frame): AgentFailure["kind"] {
  if (stop_reason === "refusal") return "refused";
  const named = error === undefined ? undefined : ownEntry(errorKinds, error);
  return named ?? (typeof status === "number" ? statusKinds[status] : undefined) ?? "lost";
}

function failed(failure: AgentFailure): Turn {
  return { type: "failed", failure };
}

/** Times of limits come in seconds. One that no date can be made of is not known. */
function timeOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function messageIn({ message }: Frame): Frame {
  return isRecord(message) ? message : {};
}

function blocksIn(frame: Frame): readonly Frame[] {
  const { content } = messageIn(frame);
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** What a message has used so far. It tells budgets early; the end of the turn has the exact numbers. */
function usageOf({ usage }: Frame): AgentEvent[] {
  if (!isRecord(usage)) return [];
  const parts = ["input_tokens", "cache_creation_input_tokens", "output_tokens"].map((part) => numberIn(usage[part]));
  return [{ type: "usage", turns: 0, tokens: parts.reduce((sum, part) => sum + part, 0) }];
}

/** What a subagent says is for the agent that started it. */
function shown({ type, text, name, input }: Frame, isSubagent: boolean): AgentEvent[] {
  if (type === "tool_use") return [{ type: "tool", name: textIn(name), detail: detailOf(input) }];
  return type === "text" && typeof text === "string" && !isSubagent ? [{ type: "text", text }] : [];
}

const longestDetail = 200;

/** What a call of a tool is about, by the field that says most. */
function detailOf(input: unknown): string {
  if (!isRecord(input)) return "";
  const fields = ["command", "file_path", "pattern", "url", "description", "prompt"];
  const said = fields.map((field) => input[field]).find((value) => typeof value === "string");
  return textIn(said).slice(0, longestDetail);
}

/** What a person adds to the settings of Claude Code. */
function allowing(tool: string, input: unknown): string {
  const command = isRecord(input) && tool === "Bash" ? textIn(input.command) : "";
  const rule = command === "" || command.includes("\n") ? tool : `${tool}(${command})`;
  return `${JSON.stringify(rule)} in "permissions": {"allow": [...]} of .claude/settings.local.json`;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a conversation has used. */
export interface Meter {
  /** Takes the totals of a turn's last frame. */
  count(result: Frame): void;
  /** A program that goes on with the conversation begins to count at zero, or goes on; then it tells what is new. */
  restart(): void;
  /** These tokens were told before the turn's last frame. */
  told(tokens: number): void;
  /** What was used since the last call, and has not been told. */
  take(): readonly AgentEvent[];
}

/** Totals begin anew after a clear, except in older versions; what was used before is kept. */
export function createMeter(): Meter {
  let last = { tokens: 0, cost: 0 };
  let owed = { tokens: 0, cost: 0, turns: 0 };
  let tellsNew = false;
  let early = 0;
  return {
    count(result) {
      const now = { tokens: tokensIn(result.modelUsage), cost: numberIn(result.total_cost_usd) };
      const isReset = now.cost < last.cost || now.tokens < last.tokens;
      const before = isReset ? { tokens: 0, cost: 0 } : last;
      owed = { ...owed, tokens: owed.tokens + now.tokens - before.tokens, cost: owed.cost + now.cost - before.cost };
      owed.turns += numberIn(result.num_turns) > 0 ? 1 : 0;
      last = now;
      tellsNew ||= isRecord(result.model_usage_since_last_result);
    },
    restart() {
      if (!tellsNew) last = { tokens: 0, cost: 0 };
    },
    told(tokens) {
      early += tokens;
    },
    take() {
      const { tokens, cost, turns } = owed;
      const rest = Math.max(0, tokens - early);
      owed = { tokens: 0, cost: 0, turns: 0 };
      early = 0;
      return [
        { type: "usage", turns, tokens: rest },
        { type: "cost", cost },
      ];
    },
  };
}

/** As elsewhere, what is read from the cache does not count. */
const counted = ["inputTokens", "cacheCreationInputTokens", "outputTokens"];

function tokensIn(usage: unknown): number {
  const models = isRecord(usage) ? Object.values(usage).filter(isRecord) : [];
  return models.flatMap((model) => counted.map((part) => numberIn(model[part]))).reduce((sum, part) => sum + part, 0);
}

function numberIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
