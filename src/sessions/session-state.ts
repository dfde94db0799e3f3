import type { TranscriptMark } from "../model/session.ts";

/** An event that a hook or a server reports. `via` is who installed the hook: two hooks may report the same event. */
export type Line = { readonly at: string; readonly via: string } & (
  | {
      readonly type: "started";
      readonly source: string;
      readonly host: string;
      readonly parent: string;
      /** The host's own record of the conversation. */
      readonly transcript?: string | undefined;
    }
  /** What the conversation used has been recorded in a run's journal up to here. */
  | { readonly type: "counted"; readonly mark: TranscriptMark }
  /** `restorable`: there is a run or a tracked workflow to restore afterwards. `subagent`: it is a subagent's context. */
  | { readonly type: "compacting"; readonly restorable: boolean; readonly subagent?: true }
  | { readonly type: "compacted" }
  /** A handoff was sent. `fallback`: it was sent again because the first one seemed not to have arrived. */
  | { readonly type: "handed"; readonly loss: number; readonly fallback: boolean; readonly run?: string | undefined }
  /** A reply to a call carried the rules of a run. */
  | { readonly type: "told"; readonly run: string; readonly template: string }
  | { readonly type: "settled"; readonly loss: number }
  | { readonly type: "stopped" }
  | { readonly type: "ended"; readonly reason: string }
  | { readonly type: "followed" }
);

type LineType = Line["type"];

export interface SessionState {
  readonly session: string;
  readonly host: string | null;
  /** The process of the host program, while it may be alive. */
  readonly parent: string | null;
  readonly ended: { readonly at: string; readonly reason: string } | null;
  /** How often the session has lost its context, and the number of the last loss that was repaired. */
  readonly losses: number;
  readonly settled: number;
  /** A loss that may not be repaired yet; when a handoff was sent for it, and whether the fallback was used. */
  readonly pending: { readonly loss: number; readonly handedAt: string | null; readonly again: boolean } | null;
  /** The run whose rules the session has been given since its last loss; by a handoff if `template` is null. */
  readonly told: { readonly run: string; readonly template: string | null } | null;
  readonly transcript: string | null;
  readonly counted: TranscriptMark | null;
  /** The nonces of the lines that repeat another hook's report. */
  readonly repeated: readonly string[];
  /** The nonces of the lines that belong to the compaction of a subagent, which is no loss of the session's. */
  readonly ofSubagents: readonly string[];
}

/** A line as it is stored in the log, identified by its nonce. */
export type StoredLine = Line & { readonly session: string; readonly nonce: string; readonly before?: SessionStanding };

/** The state before a line: only the end of a long log is read, and folding starts from there. */
export type SessionStanding = Pick<SessionState, "host" | "parent" | "losses" | "settled"> &
  Partial<Pick<SessionState, "told" | "transcript" | "counted">>;

/** Two hooks for one event run at the same time, or one right after the other. */
const momentMs = 10_000;

/** An event that each installed hook reports once. */
interface Moment {
  readonly at: string;
  readonly reportedBy: ReadonlySet<string>;
}

interface Fold {
  host: string | null;
  parent: string | null;
  ended: SessionState["ended"];
  losses: number;
  settled: number;
  handed: { readonly loss: number; readonly at: string };
  again: number;
  restorable: number;
  /** A compaction whose session start has not come yet. */
  compacting: boolean;
  /** The same for subagents, and how many of their session starts wait for the end of the compaction. */
  subagents: { readonly compacting: number; readonly ending: number };
  told: SessionState["told"];
  transcript: string | null;
  counted: TranscriptMark | null;
  readonly moments: Map<string, Moment>;
}

const newSession: SessionStanding = { host: null, parent: null, losses: 0, settled: 0 };

export function stateOf(session: string, lines: readonly StoredLine[]): SessionState {
  const fold: Fold = {
    told: null,
    transcript: null,
    counted: null,
    ...(lines[0]?.before ?? newSession),
    ended: null,
    handed: { loss: 0, at: "" },
    again: 0,
    restorable: 0,
    compacting: false,
    subagents: noSubagents,
    moments: new Map(),
  };
  const kinds = lines.map((line) => ({ nonce: line.nonce, kind: add(fold, line) }));
  const noncesOf = (wanted: Kind) => kinds.flatMap(({ nonce, kind }) => (kind === wanted ? [nonce] : []));
  const [repeated, ofSubagents] = [noncesOf("repeated"), noncesOf("of-subagent")];
  const { host, parent, ended, losses, settled, handed, told, transcript, counted } = fold;
  const open = Math.max(handed.loss, fold.restorable);
  const pending =
    open > settled && open === losses
      ? { loss: losses, handedAt: handed.loss === losses ? handed.at : null, again: fold.again === losses }
      : null;
  const known = { session, host, parent, ended, losses, settled, pending, told, transcript, counted };
  return { ...known, repeated, ofSubagents };
}

/** Null for anything else: a partial line at the start of the tail, or what another program wrote. */
export function parseLine(text: string): StoredLine | null {
  if (!text.startsWith("{") || !text.endsWith("}")) return null;
  try {
    const value = JSON.parse(text);
    const known = lineTypes.includes(value.type) && [value.at, value.via, value.session, value.nonce].every(isText);
    return known ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const lineTypes: readonly LineType[] = [
  "started",
  "counted",
  "compacting",
  "compacted",
  "handed",
  "told",
  "settled",
  "stopped",
  "ended",
  "followed",
];

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** What a line says: something new about the session, what another hook has already reported, or of a subagent. */
type Kind = "new" | "repeated" | "of-subagent";

const noSubagents: Fold["subagents"] = { compacting: 0, ending: 0 };

function add(fold: Fold, line: Line): Kind {
  const key = keyOf(line);
  const last = fold.moments.get(key);
  const repeated = repeats(last, line);
  if (repeated && last !== undefined)
    fold.moments.set(key, { at: last.at, reportedBy: new Set([...last.reportedBy, line.via]) });
  else fold.moments.set(key, { at: line.at, reportedBy: new Set([line.via]) });
  if (repeated) return "repeated";
  if (takeForSubagent(fold, line)) return "of-subagent";
  apply(fold, line);
  return "new";
}

/**
 * Older hosts name no subagent, so the lines of its compaction are told by their order. Where a compaction of the
 * session itself is under way too, nobody can tell them apart, and all of them count as the session's.
 */
function takeForSubagent(fold: Fold, line: Line): boolean {
  const { compacting, ending } = fold.subagents;
  if (line.type === "compacting" && line.subagent === true) {
    fold.subagents = { compacting: compacting + 1, ending };
    return true;
  }
  const follows = !fold.compacting && (line.type === "compacted" ? ending > 0 : compacting > 0);
  if (line.type === "started" && line.source === "compact" && follows) {
    fold.subagents = { compacting: compacting - 1, ending: ending + 1 };
    return true;
  }
  if (line.type === "compacted" && follows) {
    fold.subagents = { compacting, ending: ending - 1 };
    return true;
  }
  if (line.type === "started") fold.subagents = noSubagents;
  return false;
}

function apply(fold: Fold, line: Line): void {
  switch (line.type) {
    case "started":
      fold.host = line.host;
      fold.parent = line.parent;
      fold.ended = null;
      fold.told = null;
      fold.transcript = line.transcript ?? fold.transcript;
      // The new conversation goes on with the run at once, and its host counts from zero.
      if (line.source === "clear") fold.counted ??= { bytes: 0, cost: 0 };
      // The start after a compaction belongs to the loss that the compaction began.
      if (line.source !== "compact" || !fold.compacting) fold.losses += 1;
      fold.compacting = false;
      return;
    case "compacting":
      fold.losses += 1;
      fold.told = null;
      fold.compacting = true;
      fold.subagents = { ...fold.subagents, ending: 0 };
      if (line.restorable) fold.restorable = fold.losses;
      return;
    case "handed":
      fold.handed = { loss: line.loss, at: line.at };
      if (line.fallback) fold.again = line.loss;
      if (line.run !== undefined) fold.told = { run: line.run, template: null };
      return;
    case "counted":
      fold.counted = line.mark;
      return;
    case "told":
      fold.told = { run: line.run, template: line.template };
      return;
    case "settled":
      fold.settled = Math.max(fold.settled, line.loss);
      return;
    case "ended":
      fold.ended = { at: line.at, reason: line.reason };
      return;
    case "followed":
      // Its successor has taken over its bindings, so it must not be followed again.
      if (fold.ended !== null) fold.ended = { ...fold.ended, reason: "followed" };
      return;
    case "compacted":
    case "stopped":
      return;
  }
}

/** Lines with the same key may report the same event. */
function keyOf(line: Line): string {
  if (line.type === "started") return `started ${line.source}`;
  if (line.type === "settled") return `settled ${line.loss}`;
  if (line.type === "told") return `told ${line.run}`;
  return line.type === "handed" ? `handed ${line.loss} ${line.fallback}` : line.type;
}

function repeats(last: Moment | undefined, line: Line): boolean {
  // The journal decides which of two counts.
  if (line.type === "counted") return false;
  if (last === undefined || last.reportedBy.has(line.via)) return false;
  return Math.abs(Date.parse(line.at) - Date.parse(last.at)) < momentMs;
}
