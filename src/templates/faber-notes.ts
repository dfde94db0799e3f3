/** What of a foreign file found no place in ours. */
export interface Notes {
  add(path: string, value: unknown, why?: string): void;
  /** Every field that is not understood. */
  rest(path: string, fields: Readonly<Record<string, unknown>>, understood: readonly string[]): void;
  /** A text; anything else that stands there is noted. */
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
      if (value !== undefined && value !== "") add(path, value, "it is no text");
      return undefined;
    },
    all: () => [...new Set(notes)],
  };
}

/** YAML takes no control characters, and a text of ours ends its lines in one way. */
function plain(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .trim();
}
