import { createHash } from "node:crypto";
import { z } from "zod";
import { RunEvent } from "../model/event.ts";

export const journalFormat = 1;

const head = '{"format":';
const Line = z.strictObject({
  format: z.literal(journalFormat),
  version: z.int().positive(),
  prev: z.string(),
  writer: z.string(),
  events: z.array(RunEvent),
  hash: z.string(),
});

/** What a physical line of a journal turns out to be. */
export type JournalLine =
  | {
      readonly type: "commit";
      readonly version: number;
      readonly prev: string;
      readonly hash: string;
      readonly events: readonly RunEvent[];
    }
  | { readonly type: "torn" }
  | { readonly type: "newer"; readonly format: number }
  | { readonly type: "corrupt"; readonly problem: string };

export interface NewCommit {
  readonly version: number;
  readonly prev: string;
  readonly writer: string;
  readonly events: readonly RunEvent[];
}

/** One commit as a line of JSON. The hash covers everything before it, the previous hash too: that makes the chain. */
export function writeLine(commit: NewCommit): { readonly text: string; readonly hash: string } {
  const { version, prev, writer, events } = commit;
  const body = JSON.stringify({ format: journalFormat, version, prev, writer, events }).slice(0, -1);
  const hash = hashOf(body);
  return { text: `${body},"hash":"${hash}"}\n`, hash };
}

export function readLine(text: string): JournalLine {
  const line = parse(text);
  if (line.type !== "torn" && line.type !== "corrupt") return line;
  // A writer that was killed left the beginning of its line, and the next one wrote right behind it.
  const second = text.lastIndexOf(head);
  const tail = second > 0 ? parse(text.slice(second)) : line;
  return tail.type === "commit" ? tail : line;
}

function parse(text: string): JournalLine {
  const ending = /,"hash":"([0-9a-f]{64})"\}$/.exec(text);
  if (ending === null) return isBeginning(text) ? { type: "torn" } : { type: "corrupt", problem: "it is no commit" };
  const format = Number(/^\{"format":(\d+)/.exec(text)?.[1]);
  if (format > journalFormat) return { type: "newer", format };
  if (hashOf(text.slice(0, ending.index)) !== ending[1]) {
    return { type: "corrupt", problem: "its content does not fit its hash" };
  }
  const parsed = Line.safeParse(parseJson(text));
  if (parsed.success) {
    const { version, prev, hash, events } = parsed.data;
    return { type: "commit", version, prev, hash, events };
  }
  return { type: "corrupt", problem: `it holds what no event has (${parsed.error.issues[0]?.message ?? ""})` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A line that was cut off begins as every line does. */
function isBeginning(text: string): boolean {
  const start = `${head}${journalFormat},"version":`;
  return text.startsWith(start) || start.startsWith(text);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
