import { isRecord } from "../../model/json.ts";
import type { HostName } from "./names.ts";

export const hookEvents = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "Stop",
  "SessionEnd",
] as const;
export type HookEventName = (typeof hookEvents)[number];

/** The reply of a hook, independent of the host. */
export interface HookAnswer {
  /** Text for the model. */
  readonly context?: string;
  /** Why the agent must not stop yet. */
  readonly block?: string;
  /** Plain text for a compaction: what the summary must keep. */
  readonly instructions?: string;
  /** One line for the person. */
  readonly notice?: string;
}

export type AnswerPart = keyof HookAnswer;

/** What a host makes of our hooks, as data, so that hooks and the application know a host without loading its installer. */
export interface HostContract {
  /** What it accepts for each event. It ignores other parts, or rejects the whole output because of them. */
  readonly accepts: Readonly<Record<HookEventName, readonly AnswerPart[]>>;
  /** The field of its output with the text for the model: the text itself, or an object around it. */
  readonly contextIn: "additionalContext" | "hookSpecificOutput";
  /** How long a handoff may be. */
  readonly room: HandoffRoom;
  /** The reasons with which it ends a session that is over: one that nobody meant to go on with. None where that is in doubt. */
  readonly finalEnds: readonly string[];
  /** The environment variable with the id of its session, if it has one. */
  readonly sessionVariable: string | null;
  /** The environment variable with the id of its process: others pass its variables on, but start the hook themselves. */
  readonly processVariable?: string;
  /** The environment variable with the project's folder, which its hooks get, and the lines that start them as a placeholder. */
  readonly projectVariable?: string;
  /** The environment variable in which its hooks find its version, and where in it; `-` stands for a dot there. */
  readonly versionIn: { readonly variable: string; readonly pattern: RegExp } | null;
  /** What its processes are called, and its npm package. */
  readonly programs: readonly string[];
  /** The environment variables that are set in its shell. */
  readonly shellVariables: readonly RegExp[];
  /** Another host whose settings it reads: it runs the hooks that are set up there for that one. */
  readonly runsHooksOf?: {
    readonly host: HostName;
    /** Whether these fields of an event come from this host, not from the other. */
    isSender(fields: Readonly<Record<string, unknown>>): boolean;
  };
}

export interface HandoffRoom {
  readonly limit: number;
  readonly unit: "characters" | "tokens";
}

/** Where a host accepts as much or sets no limit: a longer text is no better handoff. */
export const usualRoom: HandoffRoom = { limit: 9_000, unit: "characters" };

/** Claude Code writes a longer text to a file and shows the model only its beginning. */
const longestText = 10_000;

/** The output for the host, without the parts that it would reject; empty if nothing is left. */
export function hookOutput(host: HostContract, event: string, answer: HookAnswer): string {
  if (!isHookEvent(event)) return "";
  const parts = host.accepts[event];
  const take = (part: AnswerPart) => (parts.includes(part) ? shortened(answer[part] ?? "") : "");
  const instructions = take("instructions");
  if (instructions !== "") return looksLikeJson(instructions) ? "" : instructions;
  const [block, context, notice] = [take("block"), take("context"), take("notice")];
  const output = {
    ...(block === "" ? {} : { decision: "block", reason: block }),
    ...(context === "" ? {} : enclosed(host, event, context)),
    ...(notice === "" ? {} : { systemMessage: notice }),
  };
  return Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}

function enclosed({ contextIn }: HostContract, hookEventName: HookEventName, additionalContext: string): object {
  return contextIn === "additionalContext"
    ? { additionalContext }
    : { hookSpecificOutput: { hookEventName, additionalContext } };
}

/** Why the host would not accept this output for this event; null if it does. */
export function contractProblem(host: HostContract, event: string, output: string): string | null {
  if (output.trim() === "") return null;
  if (!isHookEvent(event)) return `${event} is not an event that Holdfast handles`;
  const parts = host.accepts[event];
  if (!looksLikeJson(output)) return parts.includes("instructions") ? lengthProblem("the text", output) : notPlain;
  if (parts.includes("instructions")) return "it takes plain text, not JSON";
  const value = parsed(output);
  return isRecord(value) ? outputProblem(host, event, value) : "it is not a JSON object";
}

export function isHookEvent(event: unknown): event is HookEventName {
  return hookEvents.some((each) => each === event);
}

const notPlain = "it takes JSON, not plain text";

function outputProblem(
  { accepts, contextIn }: HostContract,
  event: HookEventName,
  output: Readonly<Record<string, unknown>>,
): string | null {
  const parts = accepts[event];
  const { decision, reason, [contextIn]: context, systemMessage, ...unknown } = output;
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) return `it has the unknown field ${strange}`;
  if (decision !== undefined && !parts.includes("block")) return `${event} cannot block`;
  if ((decision !== undefined && decision !== "block") || (decision === undefined) !== (reason === undefined)) {
    return 'a block has decision "block" and a reason';
  }
  if (context !== undefined && !parts.includes("context")) return `${event} takes no ${contextIn}`;
  if (systemMessage !== undefined && !parts.includes("notice")) return `${event} takes no systemMessage`;
  return (
    (contextIn === "hookSpecificOutput" ? specificProblem(event, context) : textProblem(contextIn, context)) ??
    textProblem("reason", reason) ??
    textProblem("systemMessage", systemMessage)
  );
}

function specificProblem(event: HookEventName, specific: unknown): string | null {
  if (specific === undefined) return null;
  if (!isRecord(specific)) return "hookSpecificOutput is not an object";
  const { hookEventName, additionalContext, ...unknown } = specific;
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) return `hookSpecificOutput has the unknown field ${strange}`;
  if (hookEventName !== event) return `hookEventName is not ${event}`;
  return textProblem("additionalContext", additionalContext);
}

function textProblem(name: string, text: unknown): string | null {
  if (text === undefined) return null;
  return typeof text === "string" ? lengthProblem(name, text) : `${name} is not text`;
}

function lengthProblem(name: string, text: string): string | null {
  return text.length > longestText ? `${name} has more than ${longestText} characters` : null;
}

/** Hosts parse output that starts like this as JSON, and report an error if it is not. */
function looksLikeJson(text: string): boolean {
  return text.trimStart().startsWith("{");
}

/** Cut to the limit, without splitting a character. */
function shortened(text: string): string {
  if (text.trim() === "") return "";
  if (text.length <= longestText) return text;
  // The cut may leave the first half of a surrogate pair.
  return `${text.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
