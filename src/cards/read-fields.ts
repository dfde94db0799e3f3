import { quote } from "../model/quote.ts";

/** The fields of a card other than the name of its workflow. */
export interface CardFields {
  readonly workflow_type: string;
  readonly phase: CardPhase;
  readonly required_reading: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly key_reminders: readonly string[];
  readonly created_at: string;
  readonly updated_at: string | null;
  /** Null for a tracked workflow. */
  readonly run_id: string | null;
  /** Null if another tool wrote the card. */
  readonly version: number | null;
  /** Unknown keys, which are kept. */
  readonly other: Readonly<Record<string, unknown>>;
}

/** A card without a time counts as very old. */
export const unknownTime = "1970-01-01T00:00:00.000Z";

type Fields = Readonly<Record<string, unknown>>;

/** Reads each field as well as its value allows; `notes` collects what was malformed. */
export function readFields(fields: Fields, workflow: string, notes: string[]): CardFields {
  const { workflow: _, workflow_type, phase, required_reading, context, key_reminders, ...times } = fields;
  const { created_at, updated_at, run_id, version, ...other } = times;
  const updated = readTime(updated_at);
  const created = readTime(created_at) ?? updated;
  if (created === null) notes.push("it has no created_at time");
  return {
    workflow_type: typeof workflow_type === "string" && workflow_type.trim() !== "" ? workflow_type : "custom",
    phase: readCardPhase(phase, workflow, notes),
    required_reading: readTexts(required_reading, "required_reading", notes).map(withAt),
    context: readContext(context, notes),
    key_reminders: readTexts(key_reminders, "key_reminders", notes),
    created_at: created ?? unknownTime,
    updated_at: updated,
    run_id: readRunId(run_id, notes),
    version: typeof version === "number" ? version : null,
    other,
  };
}

/** The `@` prefix makes the agent read the file rather than just know that it exists. */
export function withAt(entry: string): string {
  return entry.startsWith("@") ? entry : `@${entry}`;
}

function readTime(time: unknown): string | null {
  return typeof time === "string" && instantOf(time) !== null ? time : null;
}

function readCardPhase(phase: unknown, workflow: string, notes: string[]): CardPhase {
  const fallback = defaultPhase(workflow);
  if (typeof phase === "string") {
    const read = readPhase(phase);
    notes.push(read === null ? `its phase ${quote(phase)} cannot be parsed` : "its phase is a string");
    return noteWarning({ ...fallback, ...read }, notes);
  }
  if (typeof phase !== "object" || phase === null || Array.isArray(phase)) {
    notes.push("it has no readable phase");
    return fallback;
  }
  const { current, total, name, status } = phase as Fields;
  const first = readCount(current) ?? 1;
  const last = readCount(total) ?? first;
  const ended = typeof status === "string" && isCancelled(status);
  return noteWarning(
    {
      current: ended ? Math.max(first, last) : first,
      total: last,
      name: typeof name === "string" ? name : "",
      status: ended ? "completed" : readCardStatus(status, notes),
    },
    notes,
  );
}

function readCount(count: unknown): number | null {
  const number = typeof count === "string" && /^\d{1,6}$/.test(count) ? Number(count) : count;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function readCardStatus(status: unknown, notes: string[]): CardPhase["status"] {
  const read = typeof status === "string" ? readStatus(status) : null;
  if (read === null) notes.push("its phase has no known status; in_progress is assumed");
  return read ?? "in_progress";
}

function noteWarning(phase: CardPhase, notes: string[]): CardPhase {
  const warning = phaseWarning(phase);
  if (warning !== null) notes.push(warning);
  return phase;
}

function readTexts(list: unknown, name: string, notes: string[]): string[] {
  if (list === undefined || list === null) return [];
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list];
  const texts = entries.filter((entry) => typeof entry === "string" && entry.trim() !== "").map(String);
  const skipped = entries.length - texts.length;
  if (skipped > 0) notes.push(`${skipped} of ${name} ${skipped === 1 ? "is not a string" : "are not strings"}`);
  return texts.map((text) => text.trim());
}

function readContext(context: unknown, notes: string[]): Fields {
  if (context === undefined || context === null) return {};
  if (typeof context === "object" && !Array.isArray(context)) return context as Fields;
  notes.push('its context is not an object; it is kept as "value"');
  return { value: context };
}

/** Checked because the id becomes part of a path when the run is looked up. */
function readRunId(id: unknown, notes: string[]): string | null {
  if (id === undefined || id === null) return null;
  if (typeof id === "string" && /^[a-z0-9-]{1,60}-\d{8}_\d{6}-[a-z0-9]{4}$/.test(id)) return id;
  notes.push("its run_id is not a valid run id");
  return null;
}

export interface CardPhase {
  readonly current: number;
  readonly total: number;
  readonly name: string;
  readonly status: "not_started" | "in_progress" | "completed" | "blocked";
}

/** Parses `4/10 - Name`, also with another dash, a colon or no name; null if it has no such form. */
export function readPhase(text: string): Omit<CardPhase, "status"> | null {
  const found = /^(\d{1,6})\s*(?:\/|of)\s*(\d{1,6})(?!\w)\s*[-\u2013\u2014:]*(.*)$/iu.exec(
    text.replace(/[*`]/g, "").trim(),
  );
  if (found === null) return null;
  const [, current, total, name = ""] = found;
  return { current: Number(current), total: Number(total), name: name.trim() };
}

const statuses: ReadonlyMap<string, CardPhase["status"]> = new Map([
  ["not started", "not_started"],
  ["pending", "not_started"],
  ["in progress", "in_progress"],
  ["active", "in_progress"],
  ["completed", "completed"],
  ["complete", "completed"],
  ["done", "completed"],
  ["blocked", "blocked"],
]);

/** The status that a text names, ignoring emoji and punctuation: `🔄 In Progress`. */
export function readStatus(text: string): CardPhase["status"] | null {
  return statuses.get(normalizeWords(text)) ?? null;
}

/** Whether a status says that the workflow was cancelled, so that there is nothing to continue. */
function isCancelled(status: string): boolean {
  return /^(?:cancell?ed|aborted|abandoned)$/.test(normalizeWords(status));
}

function normalizeWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}

/** The phase of a workflow whose text names none. */
export function defaultPhase(workflow: string): CardPhase {
  return { current: 1, total: 1, name: workflow, status: "in_progress" };
}

export function isDefaultPhase(phase: CardPhase, workflow: string): boolean {
  return phase.current === 1 && phase.total === 1 && phase.name === workflow && phase.status === "in_progress";
}

/** A completed phase ends the workflow only when it is the last one. */
export function isOver({ current, total, status }: CardPhase): boolean {
  return status === "completed" && current >= total;
}

/** A warning about a phase that is inconsistent, but kept as it was written. */
export function phaseWarning({ current, total }: Pick<CardPhase, "current" | "total">): string | null {
  return current > total ? `phase ${current} of ${total} is past the end` : null;
}

const written = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** An ISO 8601 time in milliseconds; without a zone it is UTC. Null if it is not a time. */
export function instantOf(time: string): number | null {
  const found = written.exec(time);
  if (found === null) return null;
  const millis = Date.parse(`${time.replace(" ", "T")}${found[1] === undefined ? "Z" : ""}`);
  return Number.isNaN(millis) ? null : millis;
}
