import { isRecord } from "../../model/json.ts";

/**
 * The agent programs that can be set up. To add one: a folder in `src/hosts` with a `host.ts`, an entry here, in `accepted`
 * below and in `hosts.ts`; the size of its handoffs in `app/continuity/handoff/fit-handoff.ts`; the variables that mark its
 * shell in `app/workflows/person.ts`, and the one with its session id in `sessions/conversation.ts`.
 */
export const hostNames = ["claude", "codex"] as const;
export type HostName = (typeof hostNames)[number];

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

type Part = keyof HookAnswer;

/** What each host accepts for each event. It ignores other parts, or rejects the whole output because of them. */
const accepted: Readonly<Record<HostName, Readonly<Record<HookEventName, readonly Part[]>>>> = {
  claude: {
    SessionStart: ["context", "notice"],
    UserPromptSubmit: ["context", "notice"],
    PostToolUse: ["context", "notice"],
    PreCompact: ["instructions"],
    PostCompact: ["notice"],
    Stop: ["block", "notice"],
    SessionEnd: [],
  },
  codex: {
    SessionStart: ["context", "notice"],
    UserPromptSubmit: ["context", "notice"],
    PostToolUse: ["context", "notice"],
    PreCompact: ["notice"],
    PostCompact: ["notice"],
    Stop: ["block", "notice"],
    SessionEnd: [],
  },
};

/** Claude Code writes a longer text to a file and shows the model only its beginning. */
const longestText = 10_000;

/** The output for the host, without the parts that it would reject; empty if nothing is left. */
export function hookOutput(host: HostName, event: string, answer: HookAnswer): string {
  if (!isHookEvent(event)) return "";
  const parts = accepted[host][event];
  const take = (part: Part) => (parts.includes(part) ? shortened(answer[part] ?? "") : "");
  const instructions = take("instructions");
  if (instructions !== "") return looksLikeJson(instructions) ? "" : instructions;
  const [block, context, notice] = [take("block"), take("context"), take("notice")];
  const output = {
    ...(block === "" ? {} : { decision: "block", reason: block }),
    ...(context === "" ? {} : { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    ...(notice === "" ? {} : { systemMessage: notice }),
  };
  return Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}

/** Why the host would not accept this output for this event; null if it does. */
export function contractProblem(host: HostName, event: string, output: string): string | null {
  if (output.trim() === "") return null;
  if (!isHookEvent(event)) return `${event} is not an event that Holdfast handles`;
  const parts = accepted[host][event];
  if (!looksLikeJson(output)) return parts.includes("instructions") ? lengthProblem("the text", output) : notPlain;
  if (parts.includes("instructions")) return "it takes plain text, not JSON";
  const value = parsed(output);
  return isRecord(value) ? outputProblem(event, parts, value) : "it is not a JSON object";
}

export function isHookEvent(event: unknown): event is HookEventName {
  return hookEvents.some((each) => each === event);
}

const notPlain = "it takes JSON, not plain text";

function outputProblem(
  event: HookEventName,
  parts: readonly Part[],
  output: Readonly<Record<string, unknown>>,
): string | null {
  const { decision, reason, hookSpecificOutput, systemMessage, ...unknown } = output;
  const [strange] = Object.keys(unknown);
  if (strange !== undefined) return `it has the unknown field ${strange}`;
  if (decision !== undefined && !parts.includes("block")) return `${event} cannot block`;
  if ((decision !== undefined && decision !== "block") || (decision === undefined) !== (reason === undefined)) {
    return 'a block has decision "block" and a reason';
  }
  if (hookSpecificOutput !== undefined) {
    if (!parts.includes("context")) return `${event} takes no hookSpecificOutput`;
    const problem = specificProblem(event, hookSpecificOutput);
    if (problem !== null) return problem;
  }
  if (systemMessage !== undefined && !parts.includes("notice")) return `${event} takes no systemMessage`;
  return textProblem("reason", reason) ?? textProblem("systemMessage", systemMessage);
}

function specificProblem(event: HookEventName, specific: unknown): string | null {
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
