import { checksum } from "../conversation/checksum.ts";
import { ContextError } from "../conversation/context-error.ts";
import type { ContextRecord } from "../conversation/record.ts";

const format = 1;
const header = JSON.stringify({ type: "holdfast-context", format });
/** The length of `["0123456789abcd",` before a record and `]` after it. */
const prefixLength = 18;

/** The records of a context as lines: a header, then one line per record with a checksum over all lines so far. */
export interface Journal {
  readonly size: number;
  add(record: ContextRecord): void;
  /** The lines after the first `lines`; all of them by default. */
  text(lines?: number): string;
}

export function createJournal(): Journal {
  const records: ContextRecord[] = [];
  const lines = [header];
  let sum = checksum(header, "");
  return {
    get size() {
      return records.length + 1;
    },
    add(record) {
      records.push(record);
    },
    text(after = 0) {
      // Serialize records only when they are first saved, so that an append stays cheap and no record is written twice.
      for (const record of records.slice(lines.length - 1)) {
        const body = JSON.stringify(record);
        sum = checksum(body, sum);
        lines.push(`["${sum}",${body}]`);
      }
      return lines
        .slice(after)
        .map((line) => `${line}\n`)
        .join("");
    },
  };
}

/** The unchecked records of a saved conversation. Ignores a last line that a crash cut off. */
export function readJournal(text: string): readonly unknown[] {
  if (typeof text !== "string") throw corrupt(1, "it is not text");
  const lines = text.split("\n");
  const [first = "", ...bodies] = lines;
  readHeader(first);
  let sum = checksum(first, "");
  const values: unknown[] = [];
  for (const [index, line] of bodies.entries()) {
    const body = line.slice(prefixLength, -1);
    sum = checksum(body, sum);
    if (line === `["${sum}",${body}]`) values.push(JSON.parse(body));
    else if (index < bodies.length - 1) throw corrupt(index + 2, "it does not fit its checksum");
  }
  return values;
}

function readHeader(line: string): void {
  const head = parse(line);
  if (typeof head !== "object" || head === null || !("type" in head) || head.type !== "holdfast-context") {
    throw corrupt(1, "this is no saved conversation");
  }
  const found = "format" in head ? head.format : undefined;
  if (typeof found === "number" && Number.isInteger(found) && found > format) {
    throw new ContextError("saved-newer", { format: found });
  }
  if (found !== format) throw corrupt(1, "it has no format that was ever written");
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function corrupt(line: number, problem: string, cause?: unknown): ContextError<"saved-corrupt"> {
  return new ContextError("saved-corrupt", { line, problem }, cause === undefined ? undefined : { cause });
}
