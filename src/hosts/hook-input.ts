import { isRecord } from "../model/json.ts";
import { type HookEventName, isHookEvent } from "./contract/contract.ts";
import type { HostName } from "./contract/names.ts";
import { pathsInPatch } from "./contract/patch-paths.ts";
import { senderOf } from "./contracts.ts";

/** A hook event in one shape for all hosts. Missing and invalid fields are null. */
export interface HostEvent {
  readonly host: HostName;
  readonly name: HookEventName;
  readonly session: string | null;
  /** The subagent that the event is about; null for the main agent, and where an older host does not say. */
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly transcript: string | null;
  /** The prompt or turn of the event. */
  readonly prompt: string | null;
  /** Why a session starts: startup, resume, clear, compact, or a value of a newer host. */
  readonly source: string | null;
  /** What started a compaction: manual or auto. */
  readonly trigger: string | null;
  /** Why a session ends. */
  readonly reason: string | null;
  /** The length of the summary of a compaction. */
  readonly summaryLength: number | null;
  /** Whether the agent continues only because a hook blocked its stop. */
  readonly stopActive: boolean;
  /** The files that a tool wrote, as the host names them. */
  readonly paths: readonly string[];
}

/** Parsing more would take longer than a hook may run; the event is handled without its fields. */
const longestInput = 32_000_000;

/**
 * Parses the input of a hook: JSON on standard input, or the input of an `mcp_tool` hook, where every value is a string
 * and a missing one is empty. Null only for an unknown event; the name that we registered takes precedence.
 */
export function parseHookInput(host: HostName, event: string | null, text: string): HostEvent | null {
  const input = fieldsIn(text);
  const name = [event, input.hook_event_name, input.event].find(isHookEvent);
  if (name === undefined) return null;
  const summary = textIn(input.compact_summary);
  return {
    host: senderOf(host, input),
    name,
    session: textIn(input.session_id),
    agent: textIn(input.agent_id),
    cwd: textIn(input.cwd),
    transcript: textIn(input.transcript_path),
    prompt: textIn(input.prompt_id) ?? textIn(input.turn_id),
    source: textIn(input.source),
    trigger: textIn(input.trigger),
    reason: textIn(input.reason),
    summaryLength: summary?.length ?? null,
    stopActive: input.stop_hook_active === true || input.stop_hook_active === "true",
    paths: name === "PostToolUse" ? writtenPaths(input) : [],
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(text: string): Fields {
  if (text.length > longestInput) return {};
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Null for empty values and for placeholders that the host did not fill in. */
function textIn(value: unknown): string | null {
  if (typeof value !== "string" || value === "" || /^\$\{[\w.]+\}$/.test(value)) return null;
  return value;
}

function writtenPaths(input: Fields): string[] {
  const tool = input.tool_input;
  const inside = isRecord(tool) ? tool : {};
  const named = [inside.file_path, inside.notebook_path, input.file_path, input.notebook_path].map(textIn);
  // Some hosts call it just a path, also where a tool only reads.
  if (/^(Write|Edit)$/.test(String(input.tool_name))) named.push(textIn(inside.path));
  const patched = [tool, ...Object.values(inside)].flat().flatMap((each) => pathsInPatch(each));
  const paths = [...named, ...patched].filter((path) => path !== null);
  return [...new Set(paths)].filter((path) => !path.includes("\0"));
}
