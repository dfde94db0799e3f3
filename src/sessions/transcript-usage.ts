import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseJson } from "../model/json.ts";
import type { TranscriptMark } from "../model/session.ts";
import { hasCode, namesInFolder, readPart } from "../platform/files.ts";

/** More than a turn writes. Of a transcript that grew by more, only the end is counted. */
const mostBytes = 8 * 1024 * 1024;
/** A subagent's own transcript, of which there may be many. */
const mostOfSubagent = 1024 * 1024;
const mostSubagents = 50;

const noMark: TranscriptMark = { bytes: 0 };

/** What the models of a conversation have used since a mark, and the mark to go on from. */
export interface TranscriptUsage {
  readonly tokens: number;
  readonly read: { readonly from: number; readonly to: TranscriptMark };
}

/**
 * Reads what a host has written to its transcript since the last reading, and no more than that. `since` is when the
 * session came to the run: what it used before belongs to something else. Null if there is nothing to read.
 */
export function readTranscriptUsage(
  path: string,
  mark: TranscriptMark | undefined,
  { since, now }: { readonly since: string; readonly now: string },
): TranscriptUsage | null {
  try {
    const before = mark ?? noMark;
    const { size } = statSync(path);
    // A shorter file is another one, which may repeat what was counted.
    const isOther = before.bytes > size;
    const from = Math.max(isOther ? 0 : before.bytes, size - mostBytes);
    const bytes = readPart(path, size - from, from);
    const end = bytes.lastIndexOf("\n") + 1;
    if (end === 0) return null;
    const start = isOther ? laterOf(since, before.at) : since;
    const own = usesIn(bytes.toString("utf8", 0, end), start).filter(({ id }) => id !== before.message);
    const others = subagentUses(path, laterOf(since, before.at));
    const tokens = sumOf(own) + sumOf(others);
    const message = own.at(-1)?.id ?? before.message;
    const to = { bytes: from + end, at: now, ...(message !== undefined && { message }) };
    return { tokens, read: { from: before.bytes, to } };
  } catch (error) {
    // A transcript that cannot be read tells nothing.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** One answer of a model. A host writes several lines for it, each with all that it used. */
interface Use {
  readonly id: string;
  readonly tokens: number;
}

function usesIn(text: string, since: string): readonly Use[] {
  const uses = new Map<string, Use>();
  for (const line of text.split("\n")) {
    if (!line.includes('usage"')) continue;
    const entry = parseJson(line);
    if (!isRecord(entry) || !(Date.parse(String(entry.timestamp)) >= Date.parse(since))) continue;
    const use = claudeUse(entry) ?? codexUse(entry);
    if (use !== null) uses.set(use.id, use);
  }
  return [...uses.values()];
}

type Fields = Readonly<Record<string, unknown>>;

/** What the model read from its cache is not counted: it is the same text again, and far more than all the rest. */
function claudeUse({ type, message }: Fields): Use | null {
  if (type !== "assistant" || !isRecord(message) || !isRecord(message.usage)) return null;
  const { usage } = message;
  const tokens = ["input_tokens", "cache_creation_input_tokens", "output_tokens"].map((part) => countIn(usage[part]));
  return { id: String(message.id).slice(0, 200), tokens: tokens.reduce((sum, part) => sum + part, 0) };
}

/** Codex counts what it read from its cache as input, and repeats its report; the total tells whether it is new. */
function codexUse({ payload }: Fields): Use | null {
  const info = isRecord(payload) && payload.type === "token_count" ? payload.info : null;
  if (!isRecord(info) || !isRecord(info.last_token_usage) || !isRecord(info.total_token_usage)) return null;
  const { input_tokens, cached_input_tokens, output_tokens } = info.last_token_usage;
  const read = Math.max(0, countIn(input_tokens) - countIn(cached_input_tokens));
  return { id: `total ${countIn(info.total_token_usage.total_tokens)}`, tokens: read + countIn(output_tokens) };
}

function countIn(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Subagents of Claude Code have transcripts of their own. Only what is newer than the last reading counts. */
function subagentUses(path: string, after: string): readonly Use[] {
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  if (!existsSync(folder)) return [];
  const files = namesInFolder(folder, "ENOTDIR", "EACCES")
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name))
    .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= Date.parse(after));
  return files.slice(0, mostSubagents).flatMap((file) => usesIn(endOf(file), after));
}

function endOf(file: string): string {
  try {
    return readPart(file, mostOfSubagent, "end").toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "ELOOP", "ENXIO", "EISDIR")) return "";
    throw error;
  }
}

function laterOf(a: string, b: string | undefined): string {
  return b !== undefined && Date.parse(b) > Date.parse(a) ? b : a;
}

function sumOf(uses: readonly Use[]): number {
  return uses.reduce((sum, { tokens }) => sum + tokens, 0);
}
