import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { personIn } from "../model/command.ts";
import type { RunEvent } from "../model/event.ts";
import { checkedRunId } from "../model/run-id.ts";
import { readTextIfExists, replaceFile } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { type CopyFiles, createCopyFiles, replaceCopy } from "./copy-file.ts";
import { markCopy, markWorkedOn, readCopyMark } from "./copy-mark.ts";
import { type CopyMemory, createCopyMemory } from "./copy-memory.ts";
import { rewound } from "./head-differences.ts";
import { copyJournal } from "./journal-copy.ts";
import { isCopy, isRemovedCopy, journalPath } from "./journal-file.ts";
import { isAway } from "./link.ts";
import { isCopyOf, noteRemovals, refuseRemoved } from "./removed-copies.ts";
import { inspectJournal } from "./repair.ts";
import { type CopiedCommit, type Head, readAll, type SharedStore, type StoredTemplate } from "./store.ts";

export interface CopiesOptions {
  /** The folder of runs. */
  readonly root: string;
  /** The name of a template's file beside the journal, by its hash. */
  templateFile(hash: string): string;
}

/** The copies of shared runs on this machine. */
export interface Copies {
  /** The version up to which this process knows the copy to be what is shared. */
  sharedUpTo(run: string): number;
  /** Fetches what the copy of a run lacks. */
  catchUp(run: string): Promise<void>;
  /** The same for many runs. Returns those that are now up to date; others have failed, or are not shared. */
  refresh(runs: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Before a commit. Marks a run that begins here as one of this clone, for the answer may be lost. Throws if any other is in
   * files here, and not in the shared store.
   */
  prepare(run: string, expected: number): Promise<void>;
  /** The texts of the templates that events name. */
  templatesOf(run: string, events: readonly RunEvent[]): readonly StoredTemplate[];
  /** Adds a commit that was acknowledged, and returns its place. Whatever fails is done at the next look. */
  keep(run: string, commit: CopiedCommit): Promise<number>;
  /** Replaces a damaged copy; false if the shared store does not have the run. */
  heal(run: string): Promise<boolean>;
  hasCopy(run: string): boolean;
  /** From now on this clone works on the run: it is meant also where it is not named. */
  workOn(run: string): void;
  close(): void;
}

export function createCopies(shared: SharedStore, { root, templateFile }: CopiesOptions): Copies {
  const folder: CopyFolder = {
    shared,
    root,
    templateFile,
    files: createCopyFiles(root),
    known: new Map(),
    marked: new Map(),
  };
  const { known, files } = folder;
  return {
    sharedUpTo: (run) => known.get(run) ?? 0,
    catchUp: (run) => catchUp(folder, run),
    refresh: (runs) => refresh(folder, runs),
    async prepare(run, expected) {
      if (expected === 0) return mark(folder, run, { isHere: true, isOwn: true });
      if (known.has(run) || files.last(run) === null) return;
      await catchUp(folder, run);
      if (!known.has(run)) throw unshared(folder, run);
    },
    templatesOf: (run, events) =>
      templateHashes(events).flatMap((hash) => {
        const text = readTextIfExists(templatePath(folder, run, hash), sizeLimits.runFile);
        return text === null ? [] : [{ hash, text }];
      }),
    async keep(run, commit) {
      try {
        // What a person decides about a run of the team does not make it one that is worked on here.
        mark(folder, run, { isHere: personIn(commit.events) === "", isOwn: commit.version === 1 });
        const place = await add(folder, run, [commit]);
        if (place === null) await catchUp(folder, run);
        known.set(run, commit.version);
        return place ?? 0;
      } catch (error) {
        if (isHoldfastError(error)) return 0;
        throw error;
      }
    },
    heal: (run) => heal(folder, run),
    hasCopy: (run) => files.last(run) !== null,
    workOn: (run) => markWorkedOn(root, run, shared.project),
    close: () => files.close(),
  };
}

async function refresh(folder: CopyFolder, runs: readonly string[]): Promise<ReadonlySet<string>> {
  const memory = createCopyMemory(folder.root, runs.length);
  const heads = await folder.shared.heads(runs);
  const done = new Set<string>();
  for (const [run, { id }] of heads) {
    const isKnown = memory.head(run) === id && memory.isHere(run) !== null;
    if (isKnown || isAt(folder, run, id, memory) || (await tryCatchUp(folder, run))) done.add(run);
  }
  memory.store(runs);
  const missing = runs.filter((run) => !heads.has(run));
  if (missing.length > 0) await noteRemoved(folder, missing);
  return done;
}

/** Remembers which of these runs, which are not shared, were removed. */
async function noteRemoved(folder: CopyFolder, missing: readonly string[]): Promise<void> {
  const versionOf = (run: string) => lastIn(folder, run)?.version ?? 0;
  const noted = await noteRemovals(folder.shared, folder.root, missing, versionOf);
  for (const run of noted) folder.marked.delete(run);
}

function isAt(folder: CopyFolder, run: string, head: string, memory: CopyMemory): boolean {
  const remember = memory.watch(run);
  if (lastIn(folder, run)?.id !== head) return false;
  const mark = readCopyMark(folder.root, run);
  if (mark?.removed !== undefined) markThere(folder, run);
  if (mark !== null) remember({ head, isHere: mark.isHere });
  return true;
}

async function tryCatchUp(folder: CopyFolder, run: string): Promise<boolean> {
  try {
    await catchUp(folder, run);
    return folder.known.has(run);
  } catch (error) {
    if (!isHoldfastError(error) || isAway(error)) throw error;
    return false;
  }
}

/** Null if it is missing or cannot be read. */
function lastIn({ files }: CopyFolder, run: string): Head | null {
  try {
    return files.last(run);
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/** The copies of one folder, and what this process knows of them. */
interface CopyFolder extends CopiesOptions {
  readonly shared: SharedStore;
  readonly files: CopyFiles;
  readonly known: Map<string, number>;
  /** Those that are marked, and whether somebody works on them here. */
  readonly marked: Map<string, boolean>;
}

async function catchUp(folder: CopyFolder, run: string): Promise<void> {
  if (isPrivate(folder, run) || isForeign(folder, run)) return;
  try {
    const here = folder.files.last(run);
    const there = await fetchLines(folder, run, here);
    if (there === null) return;
    markThere(folder, run);
    folder.known.set(run, there.version);
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt") || !(await heal(folder, run))) throw error;
  }
}

/** Whether the journal here is an ordinary one, which only `store migrate` makes a copy, also where the shared store has the run. */
function isPrivate({ root, marked }: CopyFolder, run: string): boolean {
  return !marked.has(run) && !isCopy(root, run) && existsSync(journalPath(root, run));
}

/** Whether it is the copy of a run of another project, which this project may have a run with the same id as. */
function isForeign({ root, shared, marked }: CopyFolder, run: string): boolean {
  if (marked.has(run)) return false;
  const project = readCopyMark(root, run)?.project;
  return project !== undefined && project !== shared.project;
}

/** Fetches the lines behind the last one here. Returns the last commit; null if the run is not shared. */
async function fetchLines(folder: CopyFolder, run: string, here: Head | null): Promise<Head | null> {
  const { shared } = folder;
  let last = here;
  let some: CopiedCommit[] = [];
  let size = 0;
  try {
    for await (const commit of here === null ? shared.readLines(run) : shared.readLinesAfter(run, here)) {
      some.push(commit);
      last = commit;
      size += commit.line.length;
      if (size > portion) {
        await add(folder, run, some);
        [some, size] = [[], 0];
      }
    }
  } catch (error) {
    if (!isHoldfastError(error, "version-conflict")) throw error;
    return resolveDifference(folder, run);
  }
  if (some.length > 0) await add(folder, run, some);
  return last;
}

async function add(folder: CopyFolder, run: string, commits: readonly CopiedCommit[]): Promise<number | null> {
  mark(folder, run);
  await bringTemplates(folder, run, commits);
  return folder.files.add(run, commits);
}

/**
 * Only a receipt or a repair may change what was stored. Otherwise the shared store has lost commits that were
 * acknowledged, as one does that was restored from a backup, and the copy may be all that is left of them.
 */
async function resolveDifference(folder: CopyFolder, run: string): Promise<Head | null> {
  const { shared, root, files } = folder;
  const here = copyJournal(root, run)?.commits ?? [];
  const there = await readAll(shared.readLines(run));
  if (there.length === 0) {
    if (!isCopyOf(root, run, shared.project)) return null;
    await noteRemoved(folder, [run]);
    await refuseRemoved(shared, run, here.length);
  }
  const first = there.findIndex(({ id }, index) => here[index]?.id !== id);
  const common = first === -1 ? there.length : first;
  const added = there.slice(common);
  if (common < here.length && !added.some(replacesHistory)) {
    throw rewound(shared, run, { here: here.at(-1), there: there.at(-1), isBehind: added.length === 0 });
  }
  mark(folder, run);
  await bringTemplates(folder, run, added);
  if (common === here.length) files.add(run, added);
  else replaceCopy(root, run, there, `journal.kept-${here.at(-1)?.id.slice(0, 12)}.jsonl`);
  return there.at(-1) ?? null;
}

async function heal(folder: CopyFolder, run: string): Promise<boolean> {
  const { shared, root, known } = folder;
  const there = await readAll(shared.readLines(run));
  if (there.length === 0) return false;
  const found = inspectJournal(root, run);
  if (found !== null && found.commits > there.length) {
    const here = found.damage?.commit;
    const last = here === undefined ? undefined : { version: here.version, id: here.hash };
    throw rewound(shared, run, { here: last, there: there.at(-1), isBehind: false });
  }
  mark(folder, run);
  await bringTemplates(folder, run, there);
  replaceCopy(root, run, there, `journal.broken-${randomUUID().slice(0, 12)}.jsonl`);
  known.set(run, there.length);
  return true;
}

/** A line is readable only where the template is that it names. */
async function bringTemplates(folder: CopyFolder, run: string, commits: readonly CopiedCommit[]): Promise<void> {
  for (const hash of templateHashes(commits.flatMap(({ events }) => events))) {
    const path = templatePath(folder, run, hash);
    if (readTextIfExists(path, sizeLimits.runFile) !== null) continue;
    const text = await folder.shared.readTemplate(hash);
    if (text !== null) replaceFile(path, text, "quick");
  }
}

function templatePath({ root, templateFile }: CopyFolder, run: string, hash: string): string {
  return join(root, checkedRunId(run), templateFile(hash));
}

function mark(
  { root, shared: { project }, marked }: CopyFolder,
  run: string,
  { isHere = false, isOwn = false } = {},
): void {
  if (marked.get(run) === true || (marked.has(run) && !isHere)) return;
  markCopy(root, run, { project, isHere, isOwn });
  marked.set(run, isHere);
}

/** Another process may have noted that it was removed. */
function markThere(folder: CopyFolder, run: string): void {
  if (isRemovedCopy(folder.root, run)) folder.marked.delete(run);
  mark(folder, run);
}

/** In bytes, of lines that are written at once. */
const portion = 4 * 1024 * 1024;

/** The hashes of the templates that events name. */
export function templateHashes(events: readonly RunEvent[]): readonly string[] {
  return [...new Set(events.flatMap((event) => ("templateHash" in event ? [event.templateHash] : [])))];
}

function replacesHistory({ events }: CopiedCommit): boolean {
  return events.some(({ type }) => type === "run-received" || type === "journal-repaired");
}

function unshared({ shared: { project }, root }: CopyFolder, run: string): HoldfastError {
  const of = readCopyMark(root, run)?.project ?? null;
  return new HoldfastError("run-not-shared", { run, project, ...(of !== null && { of }) });
}
