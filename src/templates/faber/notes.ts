import { isMap } from "../value.ts";

export type FaberFields = Readonly<Record<string, unknown>>;

/** Collects what an imported file contains that has no equivalent. */
export interface Notes {
  add(path: string, value: unknown, why?: string): void;
  /** Notes every field that is not in `understood`. */
  rest(path: string, fields: FaberFields, understood: readonly string[]): void;
  /** These return a value of the type they are named after; any other value is noted. */
  text(value: unknown, path: string): string | undefined;
  map(value: unknown, path: string): FaberFields;
  list(value: unknown, path: string): readonly unknown[];
  yes(value: unknown, path: string): boolean;
  /** A whole number from `least` on. */
  count(value: unknown, path: string, least: number): number | undefined;
  all(): readonly string[];
}

const longestValue = 200;

export function createNotes(): Notes {
  const notes: string[] = [];
  const add: Notes["add"] = (path, value, why = "has no equivalent") => {
    const shown = String(JSON.stringify(value));
    const short = shown.length > longestValue ? `${shown.slice(0, longestValue)}…` : shown;
    notes.push(`${path}: ${short} (${why})`.replace(/\s+/g, " "));
  };
  const odd = (value: unknown, path: string, what: string) => {
    if (value !== undefined && value !== null) add(path, value, `it is not ${what}`);
  };
  return {
    add,
    rest(path, fields, understood) {
      for (const [name, value] of Object.entries(fields)) {
        const empty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
        if (!understood.includes(name) && !empty) add(path === "" ? name : `${path}.${name}`, value);
      }
    },
    text(value, path) {
      if (typeof value === "string" && value.trim() !== "") return plain(value);
      if (value !== "") odd(value, path, "text");
      return undefined;
    },
    map(value, path) {
      if (isMap(value)) return { ...value };
      odd(value, path, "a map");
      return {};
    },
    list(value, path) {
      if (Array.isArray(value)) return value;
      odd(value, path, "a list");
      return [];
    },
    yes(value, path) {
      if (typeof value !== "boolean") odd(value, path, "true or false");
      return value === true;
    },
    count(value, path, least) {
      if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
      odd(value, path, `a whole number from ${least} on`);
      return undefined;
    },
    all: () => [...new Set(notes)],
  };
}

/** YAML allows no control characters; line endings become `\n`. */
function plain(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .trim();
}
