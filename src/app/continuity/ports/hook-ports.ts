import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type HoldfastError, isHoldfastError } from "../../../errors.ts";
import { createSnapshotFirstJournal, type HookJournal } from "../../../journal/light/snapshot-first-journal.ts";
import { uncheckedSnapshot, uncheckedTemplates } from "../../../journal/light/unchecked-readers.ts";
import { endedBeginning, snapshotName } from "../../../journal/snapshot.ts";
import {
  currentLine,
  forget,
  type Glance,
  glanceOf,
  journalStats,
  readGlance,
  readStored,
  type StoredRuns,
  saysEnded,
} from "../../../journal/stored-runs.ts";
import { isRunId } from "../../../model/run-id.ts";
import { isLive } from "../../../model/run-state.ts";
import { beginsWith, foldersIn, namesInFolder } from "../../../platform/files.ts";
import { refuseLinks, stateFolder } from "../../../platform/links.ts";
import { findRoots, type Roots } from "../../../platform/roots.ts";
import { isRunnerAlive } from "../../../platform/runner.ts";
import { findSettings } from "../../../project/compiled-settings.ts";
import { createSessionLogs, noSessionLogs } from "../../../sessions/session-log.ts";
import type { CopyMemory } from "../../../store/copy-memory.ts";
import { isCopy, isRemovedCopy, reachedBeginning, reachName, trackedRuns } from "../../../store/journal-file.ts";
import type { NoticeQueue } from "../../../store/notice-queue.ts";
import type { CopyAge } from "../../../store/reach.ts";
import { createRunTexts } from "../../../store/run-files.ts";
import type { ContinuityPorts } from "./ports.ts";

interface HookPorts extends ContinuityPorts {
  readonly journal: HookJournal;
}

/**
 * The ports for hooks, which must start fast: data that our own programs wrote, and a hash covers, is used without
 * validation. Bad data costs at most the handoff, because a hook decides nothing.
 */
export async function createHookPorts(cwd: string, known?: Roots): Promise<HookPorts> {
  const folder = existsSync(cwd) ? realpathSync(cwd) : process.cwd();
  const roots = known ?? findRoots(folder);
  refuseLinks(roots.stateRoot);
  const state = join(roots.stateRoot, stateFolder);
  const { settings, problem } = await findSettings(roots.stateRoot);
  const troubles = problem === null ? [] : [problem];
  const runs = join(state, "runs");
  const here = new Map<string, boolean>();
  const files = createRunTexts(runs);
  const templateOf = uncheckedTemplates(files);
  const queueOf = (runId: string) => openQueue(runs, runId);
  const journal = withQueues(runs, createSnapshotFirstJournal(runs, files), { queueOf, templateOf });
  return {
    roots,
    cwd: folder,
    journal,
    files,
    // Leave no folder behind in a project that does not use Holdfast.
    sessions: existsSync(state) ? createSessionLogs(state, troubles) : noSessionLogs,
    settings,
    troubles,
    now: () => new Date().toISOString(),
    templateOf,
    queueOf,
    ageOfCopy: (runId) => ageOfCopy(state, runId),
    isHere: async (runId) => here.get(runId) ?? isHere(runs, runId),
    isRemoved: (runId) => isRemovedCopy(runs, runId),
    liveRuns: () => liveRuns(roots.stateRoot, journal, { troubles, here }),
    machine: () => ({ roots, home: process.env.HOME ?? process.env.USERPROFILE ?? "", env: process.env }),
    isAlive: isRunnerAlive,
  };
}

/** Loaded on demand: most projects have no shared store. */
async function openQueue(runs: string, runId: string): Promise<NoticeQueue | null> {
  if (!isCopy(runs, runId)) return null;
  return (await import("../../../store/notice-queue.ts")).createNoticeQueue(runs, runId);
}

/** Loaded on demand, too. */
async function ageOfCopy(state: string, runId: string): Promise<CopyAge | undefined> {
  if (beginsWith(join(state, "cache", reachName), reachedBeginning) || !isCopy(join(state, "runs"), runId))
    return undefined;
  return (await import("../../../store/reach.ts")).ageOfCopy(state, runId);
}

async function isHere(runs: string, runId: string): Promise<boolean> {
  if (!isCopy(runs, runId)) return true;
  const { isWorkedOn, readCopyMark } = await import("../../../store/copy-mark.ts");
  return isWorkedOn(readCopyMark(runs, runId));
}

/** Usually a command has delivered all of them, and the code that reads them need not be loaded. */
function hasNotices(runs: string, runId: string): boolean {
  return isCopy(runs, runId) && namesInFolder(join(runs, runId)).some((name) => name.startsWith("notices"));
}

/** Adds to the copies of runs in a shared store what waits to be recorded about them. */
function withQueues(
  runs: string,
  journal: HookJournal,
  { queueOf, templateOf }: Pick<ContinuityPorts, "queueOf" | "templateOf">,
): HookJournal {
  const load: HookJournal["load"] = async (runId) => {
    // The queue first: what is delivered meanwhile is then found in both, and counts once.
    const queue = hasNotices(runs, runId) ? await queueOf(runId) : null;
    const queued = queue?.read() ?? [];
    const standing = await journal.load(runId);
    if (standing === null || queue === null || queued.length === 0) return standing;
    // The code that decides is only loaded after something has changed.
    const known = uncheckedSnapshot({ format: 1, run: queue.recall(standing.head, queued) });
    if (known !== null) return { ...standing, run: known.run };
    const { withQueued } = await import("./queued-notices.ts");
    const seen = await withQueued({ journal, templateOf }, queued, standing);
    queue.remember(standing.head, queued, seen.run);
    return seen;
  };
  const outline: HookJournal["outline"] = (runId) => (hasNotices(runs, runId) ? load : journal.outline)(runId);
  return { ...journal, load, outline };
}

interface Noted {
  readonly troubles: string[];
  /** Whether somebody works on a run here, where that is known already. */
  readonly here: Map<string, boolean>;
}

async function liveRuns(
  stateRoot: string,
  journal: HookJournal,
  { troubles, here }: Noted,
): Promise<readonly Glance[]> {
  const state = join(stateRoot, stateFolder);
  const runs = join(state, "runs");
  const names = foldersIn(runs).filter(isRunId);
  const stored = readStored(state, names.length);
  const isTracked = trackedRuns(runs);
  const waits = waitingCopies(runs, stored, here);
  const live: Glance[] = [];
  const errors: HoldfastError[] = [];
  for (const runId of names) {
    if (isNextTracked(errors, runId, isTracked)) continue;
    const line = stored.places.size === 0 ? null : currentLine(stored, runId, journalStats(runs, runId));
    if (hasEnded(runs, runId, line)) continue;
    const isKnown = line !== null && !isTracked(runId) && !(await waits(runId));
    const known = isKnown ? readGlance(runId, line) : null;
    live.push(...(known === null ? await readLive(journal, runId, errors) : [known]));
  }
  troubles.push(...problemsIn(errors));
  if (live.length > 0) forget(state);
  return live;
}

/**
 * Tells whether something waits that the index does not know of: of a copy it knows only what was delivered. A notice that is
 * delivered meanwhile is gone from the queue, and in the journal, which has then changed. Most copies are remembered.
 */
function waitingCopies(runs: string, stored: StoredRuns, here: Map<string, boolean>) {
  let memory: CopyMemory | null = null;
  return async (runId: string): Promise<boolean> => {
    if (!isCopy(runs, runId)) {
      here.set(runId, true);
      return false;
    }
    memory ??= (await import("../../../store/copy-memory.ts")).createCopyMemory(runs, stored.places.size);
    const remembered = memory.isHere(runId);
    if (remembered === null)
      return hasNotices(runs, runId) || currentLine(stored, runId, journalStats(runs, runId)) === null;
    here.set(runId, remembered);
    return false;
  };
}

/** Either look takes a few microseconds, so that the cost hardly grows with the number of ended runs. */
function hasEnded(runs: string, runId: string, line: string | null): boolean {
  if (line !== null) return saysEnded(line, runId);
  return beginsWith(`${runs}/${runId}/${snapshotName}`, endedBeginning);
}

/** A repository may bring any number of runs along; after the first one, the others are not opened. */
function isNextTracked(
  errors: readonly HoldfastError[],
  runId: string,
  isTracked: (runId: string) => boolean,
): boolean {
  return errors.at(-1)?.code === "run-tracked" && isTracked(runId);
}

/** Of runs that came with the repository, the first one tells it all. */
function problemsIn(errors: readonly HoldfastError[]): string[] {
  const tracked = errors.find(({ code }) => code === "run-tracked");
  const told = errors.filter((error) => error.code !== "run-tracked" || error === tracked);
  return told.map(({ message }) => message);
}

async function readLive(journal: HookJournal, runId: string, errors: HoldfastError[]): Promise<readonly Glance[]> {
  try {
    const standing = await journal.outline(runId);
    return standing?.run.runId === runId && isLive(standing.run) ? [glanceOf(standing)] : [];
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    errors.push(error);
    return [];
  }
}
