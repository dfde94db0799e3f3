import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isRecord, parseJson } from "../../../model/json.ts";
import { namesInFolder, readPart, readTail } from "../../../platform/files.ts";

/** A host writes its transcripts with a delay. */
const settleMs = 300;
/** A subagent that is about to be compacted has just received the result of a tool. */
const recentMs = 10_000;
const tailLength = 1024 * 1024;
const charactersPerToken = 4;

/**
 * Whether a compaction that a host announces without naming an agent is that of a subagent, by the transcripts: the main
 * agent cannot be compacted while it waits for a tool, and of two agents that go on the fuller one is. In doubt it is the
 * main agent's: a subagent that gets its handoff can see that it is not meant.
 */
export async function isSubagentCompaction(transcript: string, folder: string): Promise<boolean> {
  if (!looksLikeSubagent(transcript, folder)) return false;
  // The last words of a subagent that has just ended may not be written yet.
  await delay(settleMs);
  return looksLikeSubagent(transcript, folder);
}

/** What a subagent that has been compacted was told to do; empty if nobody can tell which one it is. */
export function briefOf(transcript: string, agent: string | null): string {
  const folder = join(transcript.replace(/\.jsonl$/, ""), "subagents");
  const isNamed = agent !== null && /^[\w-]{1,100}$/.test(agent);
  const files = isNamed ? [join(folder, `agent-${agent}.jsonl`)] : compactedFiles(folder);
  const [file, ...others] = files;
  return file === undefined || others.length > 0 ? "" : firstMessage(file);
}

/** Those that go on, after a compaction if there are such. */
function compactedFiles(folder: string): string[] {
  const going = recentFiles(folder).flatMap((file) => {
    const sub = conversationIn(file);
    return sub === null || sub.ended ? [] : [{ file, isCompacted: sub.tokens === 0 }];
  });
  const compacted = going.filter(({ isCompacted }) => isCompacted);
  return (compacted.length > 0 ? compacted : going).map(({ file }) => file);
}

function firstMessage(file: string): string {
  try {
    const lines = readPart(file, tailLength, 0).toString("utf8").split("\n");
    const message = lines.map(parseJson).find((entry) => isRecord(entry) && entry.type === "user");
    return isRecord(message) ? String(JSON.stringify(message.message)) : "";
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

function looksLikeSubagent(transcript: string, folder: string): boolean {
  const main = conversationIn(transcript);
  if (main === null) return false;
  return recentFiles(folder).some((file) => {
    const sub = conversationIn(file);
    return sub !== null && !sub.ended && (main.waits || sub.tokens > main.tokens);
  });
}

function recentFiles(folder: string): string[] {
  return namesInFolder(folder, "ENOTDIR", "EACCES")
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
    .filter((file) => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < recentMs);
}

/** Where a conversation stands, as the end of its transcript shows. */
interface Conversation {
  /** How full its context is, about. */
  readonly tokens: number;
  /** Whether the model waits for the result of a tool. */
  readonly waits: boolean;
  /** Whether the model has said its last word. */
  readonly ended: boolean;
}

/** Null if the transcript cannot be read, or shows no answer of the model. */
function conversationIn(file: string): Conversation | null {
  const entries = linesOf(file).flatMap(entryOf);
  const last = entries.findLastIndex(({ tokens }) => tokens !== null);
  if (entries.findLastIndex(({ isBoundary }) => isBoundary) > last) return { tokens: 0, waits: false, ended: false };
  const answer = entries[last];
  if (answer === undefined) return null;
  const after = entries.slice(last + 1).filter(({ isUser }) => isUser);
  const results = after.flatMap((entry) => entry.results);
  const characters = after.reduce((sum, { length }) => sum + length, 0);
  return {
    tokens: (answer.tokens ?? 0) + Math.floor(characters / charactersPerToken),
    waits: answer.calls.some((id) => !results.includes(id)),
    ended: answer.calls.length === 0 && after.length === 0,
  };
}

/** What one line of a transcript tells. */
interface Entry {
  readonly length: number;
  readonly isBoundary: boolean;
  readonly isUser: boolean;
  /** How full the context was; null if this is no answer of the model. */
  readonly tokens: number | null;
  /** The ids of the tools that it calls, or whose results it has. */
  readonly calls: readonly unknown[];
  readonly results: readonly unknown[];
}

function entryOf(line: string): Entry[] {
  const entry = parseJson(line);
  if (!isRecord(entry)) return [];
  const message = isRecord(entry.message) ? entry.message : {};
  const blocks = (Array.isArray(message.content) ? message.content : []).filter(isRecord);
  return [
    {
      length: line.length,
      isBoundary: entry.subtype === "compact_boundary",
      isUser: entry.type === "user",
      tokens: entry.type === "assistant" && isRecord(message.usage) ? tokensOf(message.usage) : null,
      calls: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id),
    },
  ];
}

function tokensOf(usage: Readonly<Record<string, unknown>>): number {
  const parts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
  return parts.reduce((sum, part) => sum + (Number(usage[part] ?? 0) || 0), 0);
}

function linesOf(file: string): string[] {
  try {
    return readTail(file, tailLength).split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
