import { quote } from "../model/quote.ts";
import { instantOf } from "./instant.ts";
import { type CardPhase, defaultPhase, isGivenUp, phaseWarning, readPhase, readStatus } from "./phase.ts";

/** What a card holds beside the name of its workflow. */
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
  /** Null when another tool wrote it. */
  readonly version: number | null;
  /** Keys that we do not know, kept. */
  readonly other: Readonly<Record<string, unknown>>;
}

/** A card without a time counts as a very old one. */
export const unsaidTime = "1970-01-01T00:00:00.000Z";

type Fields = Readonly<Record<string, unknown>>;

/** The fields beside the name, each as near to its shape as what is there allows; `notes` says what was odd. */
export function readFields(fields: Fields, workflow: string, notes: string[]): CardFields {
  const { workflow: _, workflow_type, phase, required_reading, context, key_reminders, ...times } = fields;
  const { created_at, updated_at, run_id, version, ...other } = times;
  const updated = readTime(updated_at);
  const created = readTime(created_at) ?? updated;
  if (created === null) notes.push("it does not say when it was created");
  return {
    workflow_type: typeof workflow_type === "string" && workflow_type.trim() !== "" ? workflow_type : "custom",
    phase: readCardPhase(phase, workflow, notes),
    required_reading: readTexts(required_reading, "required_reading", notes).map(withAt),
    context: readContext(context, notes),
    key_reminders: readTexts(key_reminders, "key_reminders", notes),
    created_at: created ?? unsaidTime,
    updated_at: updated,
    run_id: readRunId(run_id, notes),
    version: typeof version === "number" ? version : null,
    other,
  };
}

/** A file to read carries `@`, so that the agent reads it rather than only knows of it. */
export function withAt(entry: string): string {
  return entry.startsWith("@") ? entry : `@${entry}`;
}

function readTime(time: unknown): string | null {
  return typeof time === "string" && instantOf(time) !== null ? time : null;
}

function readCardPhase(phase: unknown, workflow: string, notes: string[]): CardPhase {
  const usual = defaultPhase(workflow);
  if (typeof phase === "string") {
    const read = readPhase(phase);
    notes.push(read === null ? `the phase ${quote(phase)} cannot be read` : "its phase is a text");
    return withDoubt({ ...usual, ...read }, notes);
  }
  if (typeof phase !== "object" || phase === null || Array.isArray(phase)) {
    notes.push("it has no phase that can be read");
    return usual;
  }
  const { current, total, name, status } = phase as Fields;
  const first = readCount(current) ?? 1;
  const last = readCount(total) ?? first;
  const ended = typeof status === "string" && isGivenUp(status);
  return withDoubt(
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
  if (read === null) notes.push("its phase has no status that is known; it counts as in progress");
  return read ?? "in_progress";
}

function withDoubt(phase: CardPhase, notes: string[]): CardPhase {
  const doubt = phaseWarning(phase);
  if (doubt !== null) notes.push(doubt);
  return phase;
}

function readTexts(list: unknown, name: string, notes: string[]): string[] {
  if (list === undefined || list === null) return [];
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list];
  const texts = entries.filter((entry) => typeof entry === "string" && entry.trim() !== "").map(String);
  const skipped = entries.length - texts.length;
  if (skipped > 0) notes.push(`${skipped} of ${name} ${skipped === 1 ? "is" : "are"} no text`);
  return texts.map((text) => text.trim());
}

function readContext(context: unknown, notes: string[]): Fields {
  if (context === undefined || context === null) return {};
  if (typeof context === "object" && !Array.isArray(context)) return context as Fields;
  notes.push("its context is not an object; it is kept under value");
  return { value: context };
}

/** The id becomes a part of a path wherever the run is looked up. */
function readRunId(id: unknown, notes: string[]): string | null {
  if (id === undefined || id === null) return null;
  if (typeof id === "string" && /^[a-z0-9-]{1,60}-\d{8}_\d{6}-[a-z0-9]{4}$/.test(id)) return id;
  notes.push("its run_id is not the id of a run");
  return null;
}
