import { lstatSync, renameSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "../model/json.ts";
import type { RunStatus } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import { beginsWith, makeFolders, readInPlace } from "../platform/files.ts";
import { hasSettled } from "../platform/stamp.ts";
import type { Standing } from "./run-journal.ts";

// What is remembered of all runs in the folder `cache`, so that most commands read the journal of one run only.

/** What choosing and listing runs needs to know of one. */
export interface Glance {
  readonly runId: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly step: string;
  readonly summary: string | null;
  readonly worktree: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
  /** The sessions that have a seat or a claim in it. */
  readonly sessions: readonly string[];
}

export function glanceOf({ run }: Pick<Standing, "run">): Glance {
  const { runId, workflow, status, summary, worktree, startedAt, updatedAt, seats } = run;
  const endedAt = isLive(run) ? null : run.endedAt;
  const claims = isLive(run) ? run.visits.flatMap(({ claim }) => claim?.session ?? []) : [];
  const sessions = [...new Set([...seats.map(({ session }) => session), ...claims])];
  return {
    runId,
    workflow,
    status,
    step: run.last?.step ?? "",
    summary,
    worktree,
    startedAt,
    updatedAt,
    endedAt,
    sessions,
  };
}

/** With fewer runs than these, nothing is stored: reading them takes no time. */
const few = 30;
/** A live run changes often, so it is stored only together with an ended one or with many others. */
const many = 16;

/**
 * The index as it is in memory. Each run has a line and three numbers, which tell whether its journal is still the same
 * file. Objects and slices would take a new process longer than the look at all journals does.
 */
export interface StoredRuns {
  /** `<run id> E <glance>` for an ended run, `L` for a live one. */
  readonly lines: string[];
  /** The ino, size and ctime of each journal. A ctime cannot be set, unlike an mtime. */
  readonly numbers: number[];
  readonly places: Map<string, number>;
}

/** The run's line, if its journal is still the file that the line was made from. */
export function currentLine(stored: StoredRuns, runId: string, stats: Stats | undefined): string | null {
  const place = stored.places.get(runId);
  if (place === undefined || stats === undefined) return null;
  const { numbers, lines } = stored;
  const isSame =
    numbers[3 * place] === stats.ino &&
    numbers[3 * place + 1] === stats.size &&
    numbers[3 * place + 2] === stats.ctimeMs;
  return isSame ? (lines[place] ?? null) : null;
}

/** By what a stored line is compared with as well. */
export function isSameJournal(a: JournalStats, b: JournalStats | undefined): boolean {
  return a.ino === b?.ino && a.size === b.size && a.ctimeMs === b.ctimeMs;
}

export type JournalStats = Pick<Stats, "ino" | "size" | "ctimeMs">;

export function saysEnded(line: string | null, runId: string): boolean {
  return line !== null && line[runId.length + 1] === "E";
}

export function journalStats(runs: string, runId: string): Stats | undefined {
  try {
    // `join` would take as long as the look at the file.
    return lstatSync(`${runs}/${runId}/journal.jsonl`, { throwIfNoEntry: false });
  } catch (error) {
    // Reading it will report the error.
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

/** Whether the journal is a plain file that can no longer change without a trace. */
export function isLasting(stats: Stats | undefined): stats is Stats {
  return stats?.isFile() === true && hasSettled(stats.ctimeMs);
}

/** Null if someone else wrote it. */
export function readGlance(runId: string, line: string): Glance | null {
  const said = parseJson(line.slice(runId.length + 3));
  if (!Array.isArray(said) || said.length !== 9 || !Array.isArray(said[8])) return null;
  const [workflow, status, step, summary, worktree, startedAt, updatedAt, endedAt, sessions] = said;
  return { runId, workflow, status, step, summary, worktree, startedAt, updatedAt, endedAt, sessions };
}

/** In ASCII, which is read fastest. */
function lineOf(glance: Glance): string {
  const { runId, workflow, status, step, summary, worktree, startedAt, updatedAt, endedAt, sessions } = glance;
  const values = [workflow, status, step, summary, worktree, startedAt, updatedAt, endedAt, sessions];
  const text = JSON.stringify(values).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${runId} ${endedAt === null ? "L" : "E"} ${text}`;
}

/** Changes with the meaning of what follows it. */
const heading = "holdfast runs 1";
/** In bytes; more than 100,000 runs have. */
const longestIndex = 64 * 1024 * 1024;
/** The three numbers of a run are shorter. */
const longestNumbers = 100;

/**
 * What is stored: a heading, the numbers of all runs, a line per run and the heading again. Anything else counts as
 * nothing. A repository cannot bring lines along that count, since it does not know the ctime of a file to come. Nor can
 * it bring millions of them: runs may have been removed since, but not most of a large number.
 */
export function readStored(state: string, count: number): StoredRuns {
  const places = new Map<string, number>();
  const lines = count > few ? readText(indexIn(state)).split("\n", 2 * count + 1_000) : [];
  const [first, said = ""] = lines.splice(0, 2);
  const isWhole = first === heading && lines.pop() === heading && said.length <= longestNumbers * (lines.length + 1);
  const numbers = isWhole ? parseJson(said) : null;
  if (!Array.isArray(numbers) || numbers.length !== 3 * lines.length) return { lines: [], numbers: [], places };
  for (let place = 0; place < lines.length; place++) {
    const line = lines[place] ?? "";
    places.set(line.slice(0, line.indexOf(" ")), place);
  }
  return { lines, numbers, places };
}

/** Empty if it is missing, too long, a link or not ours to read. */
function readText(path: string): string {
  try {
    return readInPlace(path, longestIndex).toString("latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

/** A run that was read from its journal, and the stats of that from before. */
export interface Fresh {
  readonly glance: Glance;
  readonly stats: Stats;
}

/** Takes over what was read, and stores it if that is worth it. */
export function addFresh(state: string, stored: StoredRuns, all: readonly string[], fresh: readonly Fresh[]): void {
  if (all.length <= few) return;
  const { lines, numbers, places } = stored;
  for (const { glance, stats } of fresh) {
    const place = places.get(glance.runId) ?? lines.length;
    places.set(glance.runId, place);
    lines[place] = lineOf(glance);
    [numbers[3 * place], numbers[3 * place + 1], numbers[3 * place + 2]] = [stats.ino, stats.size, stats.ctimeMs];
  }
  if (fresh.length < many && fresh.every(({ glance }) => glance.endedAt === null)) return;
  const kept = all.flatMap((runId) => places.get(runId) ?? []);
  const keptNumbers = kept.flatMap((place) => numbers.slice(3 * place, 3 * place + 3));
  store(
    indexIn(state),
    [heading, JSON.stringify(keptNumbers), ...kept.map((place) => lines[place]), heading].join("\n"),
  );
}

/** Whether it is remembered that all runs had ended at this stamp of their folder. */
export function isRemembered(state: string, runs: Stats): boolean {
  return hasSettled(runs.ctimeMs) && beginsWith(memoryIn(state), stampText(runs));
}

/** Remembers that all runs had ended, if another change could no longer leave the same stamp. */
export function remember(state: string, runs: Stats): void {
  if (hasSettled(runs.ctimeMs)) store(memoryIn(state), stampText(runs));
}

/**
 * Makes the memory out of date. Called when a run is found to be live: the memory can deny that if the run's files were
 * put back in place, for example from a backup. Deleting it would not be enough, as a hook may be about to write it.
 */
export function forget(state: string): void {
  try {
    const runs = join(state, "runs");
    const now = new Date();
    if (beginsWith(memoryIn(state), stampText(statSync(runs)))) utimesSync(runs, now, now);
  } catch (error) {
    // Where nothing may be written, nothing is remembered.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function store(file: string, text: string): void {
  try {
    const draft = `${file}-${process.pid}`;
    makeFolders(dirname(file));
    // What a killed process left is replaced; a link is not written through.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: "wx" });
    // A rename replaces a link; a write would go through it.
    renameSync(draft, file);
  } catch (error) {
    // Without the memory the next look takes longer.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function indexIn(state: string): string {
  return join(state, "cache", "runs");
}

function memoryIn(state: string): string {
  return join(state, "cache", "ended-runs");
}

function stampText({ dev, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mtimeMs} ${ctimeMs}\n`;
}
