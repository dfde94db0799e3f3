import { isDeepStrictEqual } from "node:util";
import { type CardPhase, isDefaultPhase } from "./phase.ts";
import { type CardFields, readFields, unsaidTime, withAt } from "./read-fields.ts";

export type { CardPhase } from "./phase.ts";

/** What a person, an agent or another tool may read and write of a workflow: its JSON state file. */
export interface Card extends CardFields {
  readonly workflow: string;
}

/** What the engine owns of a card, and what it contributes to the rest. */
export interface OwnCard {
  readonly workflow: string;
  readonly workflow_type: string;
  readonly phase: CardPhase;
  readonly created_at: string;
  readonly run_id: string | null;
  readonly required_reading: readonly string[];
  readonly key_reminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly other: Readonly<Record<string, unknown>>;
}

export interface CardEdits {
  readonly required_reading: readonly string[];
  readonly key_reminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly other: Readonly<Record<string, unknown>>;
}

export type ParsedCard =
  | { readonly ok: true; readonly card: Card; readonly notes: readonly string[] }
  /** `newer` is the version of a card that a newer Holdfast wrote. */
  | { readonly ok: false; readonly problem: string; readonly newer?: number };

/** A longer one is no card: nobody could hand it to a model. */
export const longestCard = 256 * 1024;
const ourVersion = 1;
/** The type of a workflow that names none. */
const unsaidType = "custom";
/** Far more than anyone writes, and far less than what overflows the stack. */
const deepest = 100;

/** Reads what we, another tool or a person wrote, and makes the best of what is odd about it. */
export function parseCard(text: string): ParsedCard {
  if (Buffer.byteLength(text) > longestCard) return { ok: false, problem: "it is too long" };
  const value = parseJson(text);
  if (value === undefined) return { ok: false, problem: "it is not JSON" };
  if (!isRecord(value)) return { ok: false, problem: `it holds ${kindOf(value)}, not a card` };
  if (isTooDeep(value, deepest)) return { ok: false, problem: "it is nested too deeply" };
  const { version } = value;
  if (typeof version === "number" && version > ourVersion) {
    const problem = `it has version ${version}, which a newer Holdfast wrote; update Holdfast to read it`;
    return { ok: false, problem, newer: version };
  }
  const { workflow } = value;
  if (typeof workflow !== "string" || workflow.trim() === "") return { ok: false, problem: "it names no workflow" };
  const notes: string[] = [];
  return { ok: true, card: { workflow: workflow.trim(), ...readFields(value, workflow.trim(), notes) }, notes };
}

export function cardText(card: Card): string {
  const { workflow, workflow_type, phase, required_reading, context, key_reminders, created_at, ...rest } = card;
  const { updated_at, run_id, version, other } = rest;
  const known = { workflow, workflow_type, phase, required_reading, context, key_reminders, created_at };
  const ours = Object.entries({ updated_at, run_id, version }).filter(([, value]) => value !== null);
  const unknown = Object.entries(other).filter(([key]) => key === "other" || !Object.hasOwn(card, key));
  return `${JSON.stringify({ ...known, ...Object.fromEntries([...ours, ...unknown]) }, null, 2)}\n`;
}

/**
 * Merges, never replaces: of what is not the engine's, everything that stands in the card stays. What the engine is
 * known to have contributed `earlier` is its own to change and to take back.
 */
export function mergeCard(own: OwnCard, there: Card | null, now: string, earlier: OwnCard | null = null): Card {
  const tracked = own.run_id === null ? there : null;
  const kept = there === null || earlier === null ? there : withoutStale(there, earlier, own);
  return {
    workflow: own.workflow,
    // What a text did not say must not undo what the card of a tracked workflow knows.
    workflow_type: own.workflow_type === unsaidType ? (tracked ?? own).workflow_type : own.workflow_type,
    phase: isDefaultPhase(own.phase, own.workflow) ? (tracked ?? own).phase : own.phase,
    required_reading: union((kept?.required_reading ?? []).map(withAt), own.required_reading.map(withAt)),
    context: { ...own.context, ...kept?.context },
    key_reminders: union(kept?.key_reminders ?? [], own.key_reminders),
    created_at: tracked === null || tracked.created_at === unsaidTime ? own.created_at : tracked.created_at,
    updated_at: now,
    run_id: own.run_id,
    version: ourVersion,
    other: { ...own.other, ...kept?.other },
  };
}

/** What the card holds beyond `own`: what an agent or a person added. Null when nothing. */
export function editsOf(own: OwnCard, there: Card): CardEdits | null {
  const reading = union(own.required_reading.map(withAt), []);
  const edits = {
    required_reading: union(there.required_reading.map(withAt), []).filter((entry) => !reading.includes(entry)),
    key_reminders: union(there.key_reminders, []).filter((reminder) => !own.key_reminders.includes(reminder)),
    context: beyond(own.context, there.context),
    other: beyond(own.other, there.other),
  };
  const isEmpty = Object.values(edits).every((edit) => Object.keys(edit).length === 0);
  return isEmpty ? null : edits;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((part) => isTooDeep(part, left - 1));
}

function withoutStale(there: Card, earlier: OwnCard, own: OwnCard): Card {
  const isStale = (entry: string, before: readonly string[], now: readonly string[]) =>
    before.includes(entry) && !now.includes(entry);
  const [before, now] = [earlier.required_reading.map(withAt), own.required_reading.map(withAt)];
  return {
    ...there,
    required_reading: there.required_reading.filter((entry) => !isStale(withAt(entry), before, now)),
    key_reminders: there.key_reminders.filter((entry) => !isStale(entry, earlier.key_reminders, own.key_reminders)),
    context: beyond(earlier.context, there.context),
    other: beyond(earlier.other, there.other),
  };
}

function union(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])];
}

function beyond(own: Readonly<Record<string, unknown>>, there: Readonly<Record<string, unknown>>) {
  const isNew = (key: string, value: unknown) => !(Object.hasOwn(own, key) && isDeepStrictEqual(own[key], value));
  return Object.fromEntries(Object.entries(there).filter(([key, value]) => isNew(key, value)));
}
