import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import { RunId } from "../../model/ids.ts";
import { type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { sha256Hex } from "../../platform/files.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import type { ReceivedFiles } from "./check-copy.ts";
import { hashLine, readHashedLine } from "./hashed-line.ts";
import type { RunCopy } from "./run-copy.ts";

const format = 1;
const Count = z.int().nonnegative();
const Head = z.strictObject({
  format: z.literal(format),
  type: z.literal("holdfast-run"),
  runId: RunId,
  templates: Count,
  commits: Count,
});
const TemplateLine = z.strictObject({ name: z.string(), text: z.string() });
const End = z.strictObject({ type: z.literal("end"), all: z.string() });

/** Writes a run as one file: a head, its templates, its unchanged journal lines, and a hash over everything. */
export function writeRunFile({ run, commits, templates }: RunCopy): string {
  const head = { format, type: "holdfast-run", runId: run.runId, templates: templates.size, commits: commits.length };
  const lines = [head, ...[...templates].map(([name, text]) => ({ name, text }))].map((each) => `${hashLine(each)}\n`);
  const body = `${lines.join("")}${plainJournal(commits).toString()}`;
  return `${body}${hashLine({ type: "end", all: sha256Hex(body) })}\n`;
}

/** The run id of an export, given its beginning; null if it is not an export. */
export function exportedRunId(beginning: string): string | null {
  const [line = ""] = beginning.split(/\r?\n/);
  return Head.safeParse(readHashedLine(line)).data?.runId ?? null;
}

export interface ReadFile {
  readonly received: ReceivedFiles;
  /** A problem with the file as a whole; reported only if every single line is valid. */
  readonly ending: No | null;
}

/** Reads such a file and checks all hashes except those in the journal, which is checked later. */
export function readRunFile(source: string, text: string): Outcome<ReadFile> {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  const head = readHead(source, lines[0] ?? "");
  if (!head.ok) return head;
  const { runId, templates: count, commits } = head.value;
  const linesBefore = 1 + count;
  const templates = new Map<string, string>();
  for (const [index, line] of lines.slice(1, linesBefore).entries()) {
    const template = TemplateLine.safeParse(readHashedLine(line));
    if (!template.success) return damaged(source, index + 2, changed);
    templates.set(template.data.name, template.data.text);
  }
  const ending = endingProblem(source, lines, linesBefore + commits);
  if (ending !== null && lines.length <= linesBefore) return ending;
  const journal = Buffer.from(textOf(lines.slice(linesBefore, linesBefore + commits)));
  const readTemplate = async (name: string) => templates.get(name) ?? null;
  return yes({ received: { runId, source, journal, readTemplate, linesBefore }, ending });
}

const changed = "it was changed or truncated";

function readHead(source: string, line: string): Outcome<z.infer<typeof Head>> {
  const value = readHashedLine(line);
  const newer = z.looseObject({ format: Count, type: z.literal("holdfast-run") }).safeParse(value);
  if (newer.success && newer.data.format > format) {
    throw new HoldfastError("format-newer", { file: source, format: newer.data.format });
  }
  const head = Head.safeParse(value);
  if (head.success) return yes(head.data);
  const problem = line.includes('"holdfast-run"') ? changed : "it is not a file that holdfast export wrote";
  return damaged(source, 1, problem);
}

/** The last line proves that the file is complete. */
function endingProblem(source: string, lines: readonly string[], before: number): No | null {
  if (lines.length <= before) return damaged(source, lines.length, "the file is truncated here");
  if (lines.length > before + 1) return damaged(source, before + 2, "there is content after the end");
  const end = End.safeParse(readHashedLine(lines[before] ?? ""));
  if (!end.success) return damaged(source, before + 1, changed);
  const all = sha256Hex(textOf(lines.slice(0, before)));
  return end.data.all === all ? null : damaged(source, before + 1, "it does not match the lines before it");
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function damaged(source: string, line: number, problem: string): No {
  return no({ code: "copy-damaged", source, line, problem });
}
