/** What a hook or a server tells of a session. `via` says who installed that hook: two may tell of the same moment. */
export type Line = { readonly at: string; readonly via: string } & (
  | { readonly type: "started"; readonly source: string; readonly host: string; readonly parent: string }
  /** `restorable` says that there is a run or a tracked workflow to bring back afterwards. */
  | { readonly type: "compacting"; readonly restorable: boolean }
  | { readonly type: "compacted" }
  /** A handoff was sent. `fallback` says that the usual way seemed not to have worked. */
  | { readonly type: "handed"; readonly loss: number; readonly fallback: boolean }
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
  /** How often the session has lost its context, and up to which time that has been made good. */
  readonly losses: number;
  readonly settled: number;
  /** The loss that is not known to be made good; when a handoff was sent for it, and whether the fallback was used. */
  readonly pending: { readonly loss: number; readonly handedAt: string | null; readonly again: boolean } | null;
  /** The lines that told of a moment which another hook had told of, by their nonces. */
  readonly repeated: readonly string[];
}

/** A line as it stands in the log: the nonce tells it from any other. */
export type StoredLine = Line & { readonly session: string; readonly nonce: string; readonly before?: SessionStanding };

/** How a session stood before a line: of a long log only the end is read, and it goes on from there. */
export type SessionStanding = Pick<SessionState, "host" | "parent" | "losses" | "settled">;

/** Two hooks for one moment run side by side, or one right after the other. */
const momentMs = 10_000;

/** A moment that each of the installed hooks tells once. */
interface Moment {
  readonly at: string;
  readonly told: ReadonlySet<string>;
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
  readonly moments: Map<string, Moment>;
}

const newSession: SessionStanding = { host: null, parent: null, losses: 0, settled: 0 };

export function stateOf(session: string, lines: readonly StoredLine[]): SessionState {
  const fold: Fold = {
    ...(lines[0]?.before ?? newSession),
    ended: null,
    handed: { loss: 0, at: "" },
    again: 0,
    restorable: 0,
    compacting: false,
    moments: new Map(),
  };
  const repeated = lines.filter((line) => !add(fold, line)).map(({ nonce }) => nonce);
  const { host, parent, ended, losses, settled, handed } = fold;
  const open = Math.max(handed.loss, fold.restorable);
  const pending =
    open > settled && open === losses
      ? { loss: losses, handedAt: handed.loss === losses ? handed.at : null, again: fold.again === losses }
      : null;
  return { session, host, parent, ended, losses, settled, pending, repeated };
}

/** Null for what is no line of ours: a part of one at the head of the tail, or what someone else wrote. */
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
  "compacting",
  "compacted",
  "handed",
  "settled",
  "stopped",
  "ended",
  "followed",
];

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** False where another hook has told of this moment. */
function add(fold: Fold, line: Line): boolean {
  const key = keyOf(line);
  const last = fold.moments.get(key);
  const repeated = repeats(last, line);
  if (repeated && last !== undefined) fold.moments.set(key, { at: last.at, told: new Set([...last.told, line.via]) });
  else fold.moments.set(key, { at: line.at, told: new Set([line.via]) });
  if (!repeated) apply(fold, line);
  return !repeated;
}

function apply(fold: Fold, line: Line): void {
  switch (line.type) {
    case "started":
      fold.host = line.host;
      fold.parent = line.parent;
      fold.ended = null;
      // The start after a compaction belongs to the loss that the compaction began.
      if (line.source !== "compact" || !fold.compacting) fold.losses += 1;
      fold.compacting = false;
      return;
    case "compacting":
      fold.losses += 1;
      fold.compacting = true;
      if (line.restorable) fold.restorable = fold.losses;
      return;
    case "handed":
      fold.handed = { loss: line.loss, at: line.at };
      if (line.fallback) fold.again = line.loss;
      return;
    case "settled":
      fold.settled = Math.max(fold.settled, line.loss);
      return;
    case "ended":
      fold.ended = { at: line.at, reason: line.reason };
      return;
    case "followed":
      // Whoever took its place has its bindings; it is not to be followed twice.
      if (fold.ended !== null) fold.ended = { ...fold.ended, reason: "followed" };
      return;
    case "compacted":
    case "stopped":
      return;
  }
}

/** Lines with one key may tell of one moment. */
function keyOf(line: Line): string {
  if (line.type === "started") return `started ${line.source}`;
  if (line.type === "settled") return `settled ${line.loss}`;
  return line.type === "handed" ? `handed ${line.loss} ${line.fallback}` : line.type;
}

function repeats(last: Moment | undefined, line: Line): boolean {
  if (last === undefined || last.told.has(line.via)) return false;
  return Math.abs(Date.parse(line.at) - Date.parse(last.at)) < momentMs;
}
