import type { Stats } from "node:fs";
import { join } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { isRunId } from "../model/run-id.ts";
import { namesInFolder } from "../platform/files.ts";
import { isUnchanged, type Stamp, stampOf } from "../platform/stamp.ts";
import { trackedRuns } from "../store/journal-file.ts";
import type { Standing } from "./run-journal.ts";
import {
  addFresh,
  currentLine,
  type Fresh,
  type Glance,
  glanceOf,
  isLasting,
  isSameJournal,
  type JournalStats,
  journalStats,
  readGlance,
  readStored,
  type StoredRuns,
  saysEnded,
} from "./stored-runs.ts";

/** All runs of a project, without reading those journals that have not changed since they were last read. */
export interface RunIndex {
  /** The ids of all folders that could be runs, in order. */
  names(): readonly string[];
  look(looking: Looking): Promise<Survey>;
  /** Whether the run had ended when this process last looked. */
  hadEnded(runId: string): boolean;
}

export interface Looking {
  /** Null if there is no such run. */
  load(runId: string): Promise<Standing | null>;
  /** Ended runs are left out. */
  readonly onlyLive?: boolean;
  /** Runs to pass over without a look. */
  isPassedOver?(runId: string): boolean;
}

export interface Survey {
  readonly glances: readonly Glance[];
  /** Whether no run was passed over. */
  readonly isWhole: boolean;
  /** Runs that cannot be read. They must not affect other runs. */
  readonly damaged: readonly Damaged[];
}

interface Damaged {
  readonly runId: string;
  readonly error: HoldfastError;
}

/**
 * For how long one look keeps all others waiting, in seconds of `process.uptime`: with its first use, `performance` loads ten
 * of Node's own modules, which takes 2 ms.
 */
const longestTurn = 0.02;

export function createRunIndex(state: string): RunIndex {
  const runs = join(state, "runs");
  const ended = new Set<string>();
  let seen: { readonly stamp: Stamp; readonly names: readonly string[] } | null = null;
  let stored: StoredRuns | null = null;
  /** What this process has read. While a journal is unchanged, its glance is the same object. */
  const read = new Map<string, { readonly glance: Glance; readonly stats: JournalStats }>();
  /** The journals that are being read: whoever looks at the same time waits for that, rather than to read them, too. */
  const reading = new Map<string, Promise<Glance | null>>();

  function names(): readonly string[] {
    if (seen !== null && isUnchanged(seen.stamp)) return seen.names;
    // Take the stamp before reading, so that a change during the read is noticed next time.
    const stamp = stampOf(runs);
    const found = namesInFolder(runs).filter(isRunId).sort();
    seen = stamp.settled ? { stamp, names: found } : null;
    return found;
  }

  function remember(glance: Glance, { ino, size, ctimeMs }: JournalStats): void {
    read.set(glance.runId, { glance, stats: { ino, size, ctimeMs } });
  }

  function forgetAllBut(all: ReadonlySet<string>): void {
    for (const runId of read.keys()) if (!all.has(runId)) read.delete(runId);
  }

  function knownGlance(runId: string, from: StoredRuns, stats: Stats | undefined): Glance | null {
    const mine = read.get(runId);
    if (mine !== undefined && isSameJournal(mine.stats, stats)) return mine.glance;
    const line = currentLine(from, runId, stats);
    const glance = line === null ? null : readGlance(runId, line);
    if (glance !== null && stats !== undefined) remember(glance, stats);
    return glance;
  }

  function readJournal(runId: string, stats: Stats | undefined, load: Looking["load"], found: Found) {
    const own = readRun(load, runId, stats !== undefined, found.damaged).finally(() => reading.delete(runId));
    const kept = own.then((glance) => {
      if (glance === null || !isLasting(stats)) return glance;
      found.fresh.push({ glance, stats });
      remember(glance, stats);
      return glance;
    });
    reading.set(runId, kept);
    return kept;
  }

  /** The run as it is stored or, if that is out of date, as its journal has it. An ended one may be left out. */
  async function lookAt(runId: string, { load, onlyLive }: Looking, found: Found): Promise<void> {
    if (reading.has(runId)) await reading.get(runId);
    // Take the stamp before reading, so that a later change is noticed next time.
    const stats = journalStats(runs, runId);
    // Git may have begun to track the run, which does not change its journal.
    const known = found.isTracked(runId) ? null : knownGlance(runId, found.stored, stats);
    const glance = known ?? (await readJournal(runId, stats, load, found));
    if (glance === null) return;
    if (glance.endedAt === null) ended.delete(runId);
    else ended.add(runId);
    if (glance.endedAt === null || !onlyLive) found.glances.push(glance);
  }

  return {
    names,
    hadEnded: (runId) => ended.has(runId),
    async look(looking) {
      const { onlyLive } = looking;
      const all = names();
      stored ??= readStored(state, all.length);
      const looked = lookedAt(all, looking);
      const found: Found = { stored, isTracked: trackedRuns(runs), glances: [], damaged: [], fresh: [] };
      let turnEnds = process.uptime() + longestTurn;
      for (const runId of looked) {
        // Thousands of runs take seconds when they are first read, and a server has other callers.
        if (process.uptime() > turnEnds) turnEnds = await nextTurn();
        // Nothing is awaited or parsed for an ended run.
        const isPast = onlyLive && saysEnded(currentLine(stored, runId, journalStats(runs, runId)), runId);
        if (isPast) ended.add(runId);
        else if (isNextTracked(runId, found)) found.damaged.push({ runId, error: trackedError(runId) });
        else await lookAt(runId, looking, found);
      }
      addFresh(state, stored, all, found.fresh);
      if (read.size > all.length) forgetAllBut(new Set(all));
      return { glances: found.glances, damaged: found.damaged, isWhole: looked.length === all.length };
    },
  };
}

function lookedAt(all: readonly string[], { isPassedOver }: Looking): readonly string[] {
  return isPassedOver === undefined ? all : all.filter((runId) => !isPassedOver(runId));
}

/** Lets others have their turn, and tells when the next one ends. */
async function nextTurn(): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve));
  return process.uptime() + longestTurn;
}

interface Found {
  readonly stored: StoredRuns;
  isTracked(runId: string): boolean;
  readonly glances: Glance[];
  readonly damaged: Damaged[];
  /** What was read from journals, and can be stored. */
  readonly fresh: Fresh[];
}

/** A repository may bring any number of runs along; after the first one, the others are not opened. */
function isNextTracked(runId: string, { damaged, isTracked }: Found): boolean {
  return damaged.at(-1)?.error.code === "run-tracked" && isTracked(runId);
}

function trackedError(run: string): HoldfastError {
  return new HoldfastError("run-tracked", { run });
}

/** What is wrong with a shared store rather than with one run. */
const ofStore = /^(store-|settings-broken$)/;

async function readRun(
  load: Looking["load"],
  runId: string,
  hasJournal: boolean,
  damaged: Damaged[],
): Promise<Glance | null> {
  try {
    const standing = await load(runId);
    return standing === null ? null : glanceOf(standing);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    // A start that was killed before its first commit leaves such a folder, and no run is damaged if a store cannot be asked.
    if (!hasJournal && ofStore.test(error.code)) return null;
    damaged.push({ runId, error });
    return null;
  }
}
