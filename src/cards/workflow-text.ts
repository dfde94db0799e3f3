import { type CardPhase, readPhase, readStatus } from "./read-fields.ts";
import { pathsIn } from "./reading-paths.ts";
import { stripMarkup } from "./strip-text.ts";

/** What a text says about a workflow; null for what it does not mention. */
export interface WorkflowText {
  readonly workflow: string | null;
  readonly workflowType: string | null;
  readonly phase: Omit<CardPhase, "status"> | null;
  readonly status: CardPhase["status"] | null;
  readonly required_reading: readonly string[];
  readonly key_reminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
}

/** The line numbers that may contain context: elsewhere `key: value` means something else. */
export interface Section {
  readonly from: number;
  readonly to: number;
}

const workflowTypes = ["planning", "qa-loop", "implementation", "custom"];
const mostContext = 50;
const mostReminders = 100;
const mostReading = 200;
const longestLine = 1_000;

export function readWorkflowText(text: string, section: Section): WorkflowText {
  const reminders = createReminders();
  const lines = linesOf(text);
  const fields = lines.flatMap((line, index) => {
    const field = reminders.take(line) ? null : fieldOf(line);
    return field === null ? [] : [{ ...field, line, index }];
  });
  const values = (...keys: readonly string[]) =>
    fields.filter(({ key, value }) => keys.includes(key) && value !== "").map(({ value }) => value);
  const types = values("workflow_type", "type").map((type) => type.toLowerCase());
  return {
    workflow: values("workflow")[0] ?? null,
    workflowType: types.find((type) => workflowTypes.includes(type)) ?? null,
    phase:
      values("phase", "current_phase")
        .map(readPhase)
        .find((phase) => phase !== null) ?? null,
    status:
      values("status")
        .map(readStatus)
        .find((status) => status !== null) ?? null,
    required_reading: [...new Set(lines.flatMap(pathsIn))].slice(0, mostReading),
    key_reminders: reminders.taken,
    context: contextOf(fields.filter(({ index }) => index >= section.from && index < section.to)),
  };
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.slice(0, longestLine));
}

export interface Field {
  readonly key: string;
  readonly value: string;
}

/** Parses a `key: value` line, also as a heading, list item or in bold. */
export function fieldOf(line: string): Field | null {
  const [, key, value = ""] = /^[\s#>*+_-]*(\p{L}[\p{L}\p{N}_ -]{0,39})[*_\s]*:(.*)$/u.exec(line) ?? [];
  if (key === undefined || value.startsWith("//")) return null;
  return {
    key: key
      .toLowerCase()
      .replace(/[_ -]+$/, "")
      .replace(/[ -]+/g, "_"),
    value: stripMarkup(value),
  };
}

interface Reminders {
  readonly taken: readonly string[];
  /** Returns whether the line belongs to the list of reminders. */
  take(line: string): boolean;
}

function createReminders(): Reminders {
  const taken: string[] = [];
  let isOpen = false;
  const add = (text: string) => {
    const reminder = stripMarkup(text);
    if (reminder !== "" && taken.length < mostReminders && !taken.includes(reminder)) taken.push(reminder);
  };
  return {
    taken,
    take(line) {
      const [, inline] = /^[\s#>*_-]*key[ _]reminders[*_\s]*(?::|$)(.*)$/i.exec(line) ?? [];
      if (inline !== undefined) {
        isOpen = true;
        add(inline);
        return true;
      }
      if (!isOpen || line.trim() === "") return isOpen;
      const [, item] = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s)?(.*)$/.exec(line) ?? [];
      isOpen = item !== undefined;
      if (item !== undefined) add(item);
      return isOpen;
    },
  };
}

const knownKeys = ["workflow", "workflow_type", "type", "phase", "current_phase", "status", "required_reading"];

/** Numeric values become numbers. If a key occurs twice, the first value counts. */
function contextOf(fields: readonly (Field & { readonly line: string })[]): Record<string, unknown> {
  const context = new Map<string, unknown>();
  for (const { key, value, line } of fields) {
    if (context.size === mostContext || context.has(key) || knownKeys.includes(key)) continue;
    if (value === "" || /^\s*#/.test(line) || pathsIn(line).length > 0) continue;
    context.set(key, /^-?\d/.test(value) && String(Number(value)) === value ? Number(value) : value);
  }
  return Object.fromEntries(context);
}
