import { lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { Ref } from "../../journal/projection.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import { checkedRunId } from "../../model/run-id.ts";
import { visibleJson } from "../../model/written/unseen-text.ts";
import { appendFiles } from "../../platform/append-file.ts";
import { readInPlace, sha256Hex } from "../../platform/files.ts";
import { trackedBelow } from "../../platform/git-folder.ts";
import { stateFolder } from "../../platform/links.ts";
import { type Machine, portableValue } from "../privacy/portable-text.ts";

// What models were shown of a run, in a file beside its journal: one line of JSON for each text. It is a help for people who
// look back, so nothing waits for it: it is not flushed, does not travel with the run, and what cannot be written is left out.

/** How a text reached the model: as the reply of a tool or of a command, from a hook, or as a prompt of the runner. */
export type ShownKind = "tool" | "command" | "handoff" | "subagent" | "hold" | "prompt";

export interface ShownFacts {
  readonly at: string;
  readonly kind: ShownKind;
  readonly session: string | null;
  /** The visit that the text is about; null if it is about none. */
  readonly visit: string | null;
}

export interface ShownRecord extends ShownFacts {
  /** The last event of the run when the text was made. */
  readonly event: number;
  /** The commit of that event. A journal that was replaced since may have another there. */
  readonly commit: Ref & { readonly id: string };
}

const names = { newest: "shown.jsonl", older: "shown.1.jsonl" } as const;

/** In bytes, for each of the two files. */
const mostShown = 10 * 1024 * 1024;

interface Written {
  readonly identity: string;
  readonly hashes: Set<string>;
  last: string;
  /** The size of the file with it. Another one means that another process has shown something since. */
  size: number;
}

/**
 * What this process has written to a file: the same text again is only named by its hash, and the last one is not written
 * again as long as the run has not moved, and nothing else was shown.
 */
const written = new Map<string, Written>();
const mostFiles = 20;

/** An object is shown as JSON. */
type Content = { readonly content: string | object };

/** Records what was shown of a run, without this machine's paths and secrets. */
export function recordShown(machine: Machine, standing: Standing, shown: ShownFacts & Content, most = mostShown): void {
  settleShown();
  write(machine, standing, shown, most);
}

/** What was shown and is not written yet, oldest first. */
const waiting: (() => void)[] = [];

/** The reader of a reply is often woken on the processor of this process, and runs only once this process has nothing to do. */
const momentMs = 1;

/** Records it when the caller has the reply, so that it does not wait for it; `shown` is called only then. */
export function recordShownSoon(machine: Machine, standing: Standing, shown: () => ShownFacts & Content): void {
  if (waiting.length === 0) setTimeout(settleAndGoOn, momentMs);
  waiting.push(() => write(machine, standing, shown(), mostShown));
}

/** Writes what waits: before the next text, before the texts are read, and before a process exits. */
export function settleShown(): void {
  for (const writeOne of waiting.splice(0)) writeOne();
}

/** The caller has its reply, so a bug here must not end the server. */
function settleAndGoOn(): void {
  try {
    settleShown();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

function write(machine: Machine, standing: Standing, shown: ShownFacts & Content, most: number): void {
  const { run, version, place, head } = standing;
  const { content, at, kind, session, visit } = shown;
  const folder = join(machine.roots.stateRoot, stateFolder, "runs", checkedRunId(run.runId));
  const said = JSON.stringify([head, kind, session, visit, content]);
  if (isLast(join(folder, names.newest), said)) return;
  const masked = portableValue(machine, runProjectRoot(machine.roots, run), content);
  const text = typeof masked === "string" ? masked : visibleJson(JSON.stringify(masked));
  const record: ShownRecord = { event: run.seq, at, kind, session, visit, commit: { version, place, id: head } };
  try {
    append(folder, { record, text, said }, most);
  } catch (error) {
    // A full disk, a folder that may not be written to, a link in its place.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

interface Entry {
  readonly record: ShownRecord;
  readonly text: string;
  /** As it is, with this machine's paths. */
  readonly said: string;
}

function append(folder: string, entry: Entry, most: number): void {
  const { record, text, said } = entry;
  const path = join(folder, names.newest);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false) return;
  const hash = sha256Hex(text);
  const known = written.get(path);
  const isKnown = known?.identity === `${there?.dev}:${there?.ino}` && known.hashes.has(hash);
  // A line that was cut off must not spoil this one.
  const line = Buffer.from(`\n${JSON.stringify({ ...record, hash, ...(!isKnown && { text }) })}\n`);
  if (line.length > most) return;
  if (there !== undefined && there.size + line.length > most) {
    renameSync(path, join(folder, names.older));
    append(folder, entry, most);
    return;
  }
  const file = appendFiles.open(path, { create: true });
  // The run was removed meanwhile.
  if (file === null) return;
  try {
    if (file.write(line) === line.length) {
      remember(path, { identity: file.identity, hash, last: said, size: (there?.size ?? 0) + line.length });
    }
  } finally {
    file.close();
  }
}

/** Whether this is what was written last, to a file that is still there. */
function isLast(path: string, said: string): boolean {
  const known = written.get(path);
  if (known?.last !== said) return false;
  const there = lstatSync(path, { throwIfNoEntry: false });
  return known.identity === `${there?.dev}:${there?.ino}` && known.size === there?.size;
}

function remember(path: string, { hash, ...shown }: Omit<Written, "hashes"> & { readonly hash: string }): void {
  const known = written.get(path);
  if (known?.identity === shown.identity) {
    known.hashes.add(hash);
    Object.assign(known, { last: shown.last, size: shown.size });
    return;
  }
  if (written.size >= mostFiles) written.clear();
  written.set(path, { ...shown, hashes: new Set([hash]) });
}

export interface Shown extends ShownRecord {
  /** Looks it up, which can take a search of the whole file; null if it is not there as it was written. */
  readonly text: () => string | null;
}

/** The records of a run, newest first, up to an event. Lines that nobody can read are passed over. */
export function* shownUpTo(stateRoot: string, runId: string, event: number): Generator<Shown> {
  settleShown();
  for (const name of Object.values(names)) {
    const lines = linesOf(join(stateRoot, stateFolder, "runs"), checkedRunId(runId), name);
    for (const line of lines.toReversed()) {
      // Most lines are long, and few are asked for.
      if (Number(/^\{"event":(\d{1,15}),/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY) > event) continue;
      const record = parseJson(line);
      if (isStored(record)) yield { ...record, text: () => textOf(record, lines) };
    }
  }
}

type Stored = ShownRecord & { readonly hash: string; readonly text?: string };

/** Lines are ours unless someone has edited them; then what is shown of them is of no consequence. */
function isStored(value: unknown): value is Stored {
  if (!isRecord(value) || !isRecord(value.commit)) return false;
  const { at, kind, session, visit, hash, text, commit } = value;
  const isText = (each: unknown) => typeof each === "string";
  return (
    [at, kind, hash, commit.id].every(isText) &&
    [session, visit].every((each) => each === null || isText(each)) &&
    [commit.version, commit.place].every(Number.isSafeInteger) &&
    (text === undefined || isText(text))
  );
}

/** A text that was written before is in the same file. */
function textOf({ hash, text }: Stored, lines: readonly string[]): string | null {
  if (text !== undefined) return sha256Hex(text) === hash ? text : null;
  const line = lines.find((each) => each.includes(`"hash":"${hash}","text":`));
  const first = line === undefined ? null : parseJson(line);
  return isStored(first) && first.text !== undefined && sha256Hex(first.text) === hash ? first.text : null;
}

/** None of a file that cannot be read, or that came with the repository. */
function linesOf(runs: string, runId: string, name: string): string[] {
  try {
    if (trackedBelow(runs)(`${runId}/${name}`)) return [];
    return readInPlace(join(runs, runId, name), 2 * mostShown)
      .toString("utf8")
      .split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}
