import { isDeepStrictEqual } from "node:util";
import { isRecord, parseJson } from "../model/json.ts";
import { type CardFields, type CardPhase, isDefaultPhase, readFields, unknownTime, withAt } from "./read-fields.ts";

export type { CardPhase } from "./read-fields.ts";

/** A workflow's JSON state file, which people, agents and other tools may read and write. */
export interface Card extends CardFields {
  readonly workflow: string;
}

/** The fields of a card that the engine owns, and its contribution to the others. */
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
  /** `newer` is the card's version if a newer Holdfast wrote it. */
  | { readonly ok: false; readonly problem: string; readonly newer?: number };

/** In bytes. A larger file could not be given to a model. */
export const longestCard = 256 * 1024;
const ourVersion = 1;
/** The field for a running gate. Only the engine writes and removes it. */
export const runningGateKey = "running_gate";
/** The field of the context for the open tasks of a loop that several agents work on. Only the engine writes it. */
export const openTasksKey = "open_tasks";
/** The type of a workflow that does not declare one. */
const defaultType = "custom";
/** The nesting limit: more than anyone writes, and too little to overflow the stack. */
const deepest = 100;

/** Parses a card that Holdfast, another tool or a person wrote. Tolerates malformed fields and notes them. */
export function parseCard(text: string): ParsedCard {
  if (Buffer.byteLength(text) > longestCard) return { ok: false, problem: "it is too large" };
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  if (value === undefined) return { ok: false, problem: "it is not JSON" };
  if (!isRecord(value)) return { ok: false, problem: `it holds ${kindOf(value)}, not a card` };
  if (isTooDeep(value, deepest)) return { ok: false, problem: "it is nested too deeply" };
  const { version } = value;
  if (typeof version === "number" && version > ourVersion) {
    const problem = `it has version ${version}, written by a newer Holdfast; update Holdfast to read it`;
    return { ok: false, problem, newer: version };
  }
  const { workflow } = value;
  if (typeof workflow !== "string" || workflow.trim() === "") return { ok: false, problem: "it has no workflow name" };
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
 * Merges and never replaces: everything in the card that is not the engine's stays. The engine may change or remove
 * only what it contributed itself, which is `earlier`.
 */
export function mergeCard(own: OwnCard, there: Card | null, now: string, earlier: OwnCard | null = null): Card {
  const tracked = own.run_id === null ? there : null;
  const base = there === null || earlier === null ? there : withoutStale(there, earlier, own);
  return {
    workflow: own.workflow,
    // A default must not overwrite what the card of a tracked workflow already says.
    workflow_type: own.workflow_type === defaultType ? (tracked ?? own).workflow_type : own.workflow_type,
    phase: isDefaultPhase(own.phase, own.workflow) ? (tracked ?? own).phase : own.phase,
    required_reading: union((base?.required_reading ?? []).map(withAt), own.required_reading.map(withAt)),
    context: { ...own.context, ...withoutOpenTasks(base?.context ?? {}) },
    key_reminders: union(base?.key_reminders ?? [], own.key_reminders),
    created_at: tracked === null || tracked.created_at === unknownTime ? own.created_at : tracked.created_at,
    updated_at: now,
    run_id: own.run_id,
    version: ourVersion,
    other: { ...own.other, ...withoutGate(base?.other ?? {}) },
  };
}

/** What an agent or a person added to the card beyond `own`; null if nothing. */
export function editsOf(own: OwnCard, there: Card): CardEdits | null {
  const reading = union(own.required_reading.map(withAt), []);
  const edits = {
    required_reading: union(there.required_reading.map(withAt), []).filter((entry) => !reading.includes(entry)),
    key_reminders: union(there.key_reminders, []).filter((reminder) => !own.key_reminders.includes(reminder)),
    context: differingEntries(own.context, withoutOpenTasks(there.context)),
    other: differingEntries(own.other, withoutGate(there.other)),
  };
  const isEmpty = Object.values(edits).every((edit) => Object.keys(edit).length === 0);
  return isEmpty ? null : edits;
}

/** A card that is a moment older than the run may still have the field; that is nobody's addition. */
function withoutGate({ [runningGateKey]: _gate, ...other }: Readonly<Record<string, unknown>>) {
  return other;
}

/** The same for the list of open tasks. Whatever else somebody has written under its name stays. */
export function withoutOpenTasks(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { [openTasksKey]: tasks, ...others } = context;
  const isOurs = Array.isArray(tasks) && tasks.every((task) => openTaskPattern.test(String(task)));
  return isOurs ? others : context;
}

const openTaskPattern = / \u00b7 (?:free|taken|taken by .+|waits for a person)$|^and \d+ more$/;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `a ${typeof value}`;
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
    context: differingEntries(earlier.context, there.context),
    other: differingEntries(earlier.other, there.other),
  };
}

function union(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])];
}

function differingEntries(own: Readonly<Record<string, unknown>>, there: Readonly<Record<string, unknown>>) {
  const isNew = (key: string, value: unknown) => !(Object.hasOwn(own, key) && isDeepStrictEqual(own[key], value));
  return Object.fromEntries(Object.entries(there).filter(([key, value]) => isNew(key, value)));
}
