import type { Note } from "../model/carry.ts";
import type { EventType, RunEvent } from "../model/event.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { sha256Hex } from "../platform/files.ts";

/** The newest format of a journal line that this version reads and writes. */
const newestFormat = 2;

/**
 * The first version of Holdfast that reads format 2, of journals and of templates. A line names it, so that a program which
 * is too old for the line can say which version it needs.
 */
export const neededVersion = "0.2.0";

/**
 * The event types that came with format 2, as did some fields. A line gets the oldest format that can hold its events,
 * so a run that uses none of them stays readable by programs that know only format 1.
 */
const sinceFormat2: ReadonlySet<EventType> = new Set<EventType>([
  ...(["step-skipped", "decision-requested", "failure-decided", "failure-routed", "run-reopened"] as const),
  ...(["command-started", "command-interrupted", "command-ended", "usage-recorded"] as const),
  ...(["visit-claimed", "claim-lost", "claim-released"] as const),
  ...(["drive-began", "drive-ended", "attempt-began", "attempt-lost", "run-parked", "agent-told"] as const),
  ...(["messages-delivered", "instructions-taken", "context-action-skipped"] as const),
]);

const fieldsSinceFormat2 = [
  ...["via", "seat", "claim", "delivers", "of", "because", "hostVersion", "request", "untaken"],
];

export function formatFor(events: readonly RunEvent[]): number {
  return events.some(needsFormat2) ? 2 : 1;
}

function needsFormat2(event: RunEvent): boolean {
  return sinceFormat2.has(event.type) || fieldsSinceFormat2.some((field) => field in event) || hasNewValue(event);
}

const notesSinceFormat2: ReadonlySet<Note["from"]> = new Set<Note["from"]>([
  ...(["goto", "decision", "failed-step", "reopened"] as const),
]);

/** Whether an event of an older type says what format 1 does not know, such as a visit to a command. */
function hasNewValue(event: RunEvent): boolean {
  if ("place" in event && event.place.type === "command") return true;
  switch (event.type) {
    case "visit-entered":
      return event.note !== null && notesSinceFormat2.has(event.note.from);
    case "approval-requested":
      return event.output !== undefined || event.outcome !== undefined;
    case "artifacts-loaded":
      return event.artifacts.some(({ excerpt }) => excerpt !== undefined);
    case "review-opened":
      return event.spent === "cost";
    case "tasks-set":
      return event.tasks.some((task) => task.depends_on !== undefined);
    case "task-ended":
      return event.status === "skipped";
    case "visit-closed":
      return event.reason === "left";
    default:
      return false;
  }
}

/** Parses the events of a commit; returns a text that tells the problem if they are invalid. */
export type ReadEvents = (value: unknown) => readonly RunEvent[] | string;

/** The longest commit, so that a reader never needs more memory than this. */
export const longestLine = 64 * 1024 * 1024;

const headPattern = /^\{"format":(\d{1,9}),"version":(\d{1,15}),"size":(\d{1,10}),/;
/** Enough bytes for the head of any line, including the previous hash. */
export const longestHead = 160;
const endingPattern = /^,"hash":"([0-9a-f]{64})"\}$/;
const endingLength = 75;

/** A parsed line of a journal, or a part of one. `to` is its end offset within the physical line. */
export type JournalLine =
  | {
      readonly type: "commit";
      readonly to: number;
      readonly version: number;
      readonly prev: string;
      readonly hash: string;
      readonly events: readonly RunEvent[];
    }
  | { readonly type: "torn"; readonly to: number }
  /** `needs` is the version of Holdfast that the line asks for, if it names one. */
  | { readonly type: "newer"; readonly format: number; readonly needs: string | null }
  | { readonly type: "corrupt"; readonly problem: string };

export interface NewCommit {
  readonly version: number;
  readonly prev: string;
  readonly writer: string;
  readonly events: readonly RunEvent[];
}

/**
 * One commit as a line of JSON. `size` counts the bytes after it up to the closing brace, so a shorter line was cut
 * off. The hash covers everything before it, including the previous hash, which chains the commits.
 */
export function writeLine(commit: NewCommit): { readonly bytes: Buffer; readonly hash: string } {
  const { version, prev, writer, events } = commit;
  const format = formatFor(events);
  const needs = format === 1 ? {} : { needs: neededVersion };
  const rest = JSON.stringify({ prev, writer, ...needs, events }).slice(1, -1);
  const size = Buffer.byteLength(rest) + 1 + endingLength;
  const hashed = `{"format":${format},"version":${version},"size":${size},${rest}`;
  const hash = sha256Hex(hashed);
  return { bytes: Buffer.from(`${hashed},"hash":"${hash}"}\n`), hash };
}

/** The fields of a line before its events. */
export function readHead(text: string): { readonly version: number; readonly prev: string } | null {
  const [, version, prev] = /^\{"format":\d+,"version":(\d{1,15}),"size":\d+,"prev":"([0-9a-f]*)",/.exec(text) ?? [];
  return version === undefined || prev === undefined ? null : { version: Number(version), prev };
}

/**
 * Usually yields one commit; more if a killed writer left a partial line and the next writer appended right after it.
 */
export function* readLine(line: Buffer, readEvents: ReadEvents): Generator<JournalLine> {
  let starts: number[] | null = null;
  for (let at = 0; at < line.length; ) {
    let piece = wholeAt(line, at, readEvents);
    if (piece === null) {
      starts ??= startsIn(line, at);
      piece = tornAt(line, starts, at) ?? refusedAt(line, at);
    }
    yield piece;
    if (piece.type === "newer" || piece.type === "corrupt") return;
    at = piece.to;
  }
}

function wholeAt(line: Buffer, from: number, readEvents: ReadEvents): JournalLine | null {
  const whole = hashedAt(line, from);
  if (whole === null) return null;
  const { format, to, hash } = whole;
  if (format > newestFormat) return newer(line, from, format);
  const parsed = parseJson(line.toString("utf8", from, to));
  const { version, prev, events: recorded } = isRecord(parsed) ? parsed : {};
  const known = typeof version === "number" && version > 0 && typeof prev === "string";
  const events = known && format > 0 ? readEvents(recorded) : "";
  if (!known || typeof events === "string") {
    return { type: "corrupt", problem: `its events are invalid (${String(events)})` };
  }
  return { type: "commit", to, version, prev, hash, events };
}

/** A complete line with a correct hash; null otherwise. */
export function hashedAt(line: Buffer, from: number) {
  const head = headAt(line, from);
  if (head === null || head.end > line.length || head.end - from < endingLength) return null;
  const { format, end: to } = head;
  const hash = endingPattern.exec(line.toString("latin1", to - endingLength, to))?.[1];
  if (hash === undefined || sha256Hex(line.subarray(from, to - endingLength)) !== hash) return null;
  return { format, to, hash };
}

/** Partial lines, up to where the next complete one starts. How many they are, nobody can tell. */
function tornAt(line: Buffer, starts: number[], from: number): JournalLine | null {
  while ((starts.at(-1) ?? from) < from) starts.pop();
  if (starts.pop() !== from) return null;
  while (starts.length > 1 && hashedAt(line, starts.at(-1) ?? 0) === null) starts.pop();
  return { type: "torn", to: starts.at(-1) ?? line.length };
}

/** Far more lines than writers can be killed at once; a file with more was made to keep readers busy. */
const mostStarts = 1_000_000;
const mostHashed = 4 * longestLine;

/**
 * Where lines start that share one physical line, last one first: from each start on, there are only complete and partial
 * lines. Searched from the end, so that each brace is looked at once: a partial line that starts there can only reach to the
 * nearest start behind it. In its head, it has no other brace; behind its head, any length will do that is less than its
 * size. A value may look like the start of a line, too; it stays a part of the partial line around it.
 */
function startsIn(line: Buffer, from: number): number[] {
  const starts = new Set([line.length]);
  let nearest = line.length;
  let hashed = 0;
  for (let at = lastBrace(line, nearest); at >= from; at = lastBrace(line, at)) {
    const end = headAt(line, at)?.end ?? 0;
    const mayBeWhole = starts.has(end);
    hashed += mayBeWhole ? end - at : 0;
    if (starts.size > mostStarts || hashed > mostHashed) return [];
    if (!isCutOff(line.subarray(at, nearest)) && !(mayBeWhole && hashedAt(line, at) !== null)) continue;
    starts.add(at);
    nearest = at;
  }
  return [...starts];
}

function lastBrace(line: Buffer, before: number): number {
  return before === 0 ? -1 : line.lastIndexOf("{", before - 1);
}

/** A partial line begins like every line and is shorter than its declared size. */
function isCutOff(piece: Buffer): boolean {
  const head = headAt(piece, 0);
  if (head === null) return '{"format":0,"version":0,"size":0,'.startsWith(signsOf(piece).replace(/\d+/g, "0"));
  const ended = endingPattern.test(piece.toString("latin1", piece.length - endingLength));
  // The list of events stands before the hash of a line; a value may end with a hash, too.
  const endedLikeLine = ended && piece.at(-endingLength - 1) === closingBracket;
  return piece.length < head.end && head.end <= longestLine && !endedLikeLine;
}

const closingBracket = 0x5d;

function refusedAt(line: Buffer, from: number): JournalLine {
  if (headAt(line, from) !== null) return { type: "corrupt", problem: "its content does not match its hash" };
  // Of a later format, only the number can be read.
  const format = Number(/^\{"format":(\d{1,9}),/.exec(signsOf(line, from))?.[1]);
  return format > newestFormat ? newer(line, from, format) : { type: "corrupt", problem: "it is not a commit" };
}

/** How much of a line of a later format is searched for the version that it needs; it stands before the events. */
const needsWithin = 400;

function newer(line: Buffer, from: number, format: number): JournalLine {
  const beginning = line.toString("latin1", from, Math.min(from + needsWithin, line.length));
  return { type: "newer", format, needs: /"needs":"(\d+\.\d+\.\d+)"/.exec(beginning)?.[1] ?? null };
}

function headAt(line: Buffer, from: number): { readonly format: number; readonly end: number } | null {
  const [head, format, , size] = headPattern.exec(signsOf(line, from)) ?? [];
  return head === undefined ? null : { format: Number(format), end: from + head.length - 1 + Number(size) };
}

function signsOf(line: Buffer, from = 0): string {
  return line.toString("latin1", from, Math.min(from + longestHead, line.length));
}
