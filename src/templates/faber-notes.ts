/** Collects what an imported file contains that has no equivalent. */
export interface Notes {
  add(path: string, value: unknown, why?: string): void;
  /** Notes every field that is not in `understood`. */
  rest(path: string, fields: Readonly<Record<string, unknown>>, understood: readonly string[]): void;
  /** Returns a text value; notes any other value. */
  text(value: unknown, path: string): string | undefined;
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
      if (value !== undefined && value !== "") add(path, value, "it is not text");
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
