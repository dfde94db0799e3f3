import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { flushFolder, readTextIfExists, replaceFile } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { createCopyMemory } from "./copy-memory.ts";
import { isCopy, markPath, writing } from "./journal-file.ts";

// A run of a shared store has its journal here as a copy: read, never advanced. The mark beside the journal says so to
// programs that know nothing of the shared store. `isCopy` is in journal-file.ts, which every append runs through.

export interface CopyMark {
  /** The project of the shared store that the run belongs to. */
  readonly project: string;
  /** Whether somebody has started it or worked on it from this clone. Any other run is meant only where it is named. */
  readonly isHere: boolean;
  /** Whether it began in this clone. The worktree that it names is one of this clone only then. */
  readonly isOwn: boolean;
  /** The last commit of a run that is being removed from the shared store. Once it is gone there, this journal is the run. */
  readonly leaving?: string;
  /** When somebody has removed it from the shared store, unless it was seen there since. */
  readonly removed?: string;
}

type NewMark = Pick<CopyMark, "project"> & Partial<CopyMark>;

/** Marks the journal of a run as a copy, also before there is one. From then on only the shared store's driver writes it. */
export function markCopy(
  root: string,
  run: string,
  { project, isHere = false, isOwn = false, leaving, removed }: NewMark,
): void {
  const found = readCopyMark(root, run);
  const known = found?.project === project ? found : null;
  const [here, own] = [isHere || known?.isHere === true, isOwn || known?.isOwn === true];
  const isAsBefore = known?.isHere === here && known.isOwn === own && known.removed === removed;
  if (isAsBefore && (leaving === undefined || known.leaving === leaving)) return;
  // In this order: see `isRemovedCopy`.
  replaceFile(markPath(root, run), `${JSON.stringify({ removed, format: 1, project, here, own, leaving })}\n`);
}

/** Null for a run that is no copy, and for a mark that cannot be read or understood: one such run must not stop all others. */
export function readCopyMark(root: string, run: string): CopyMark | null {
  if (!isCopy(root, run)) return null;
  const said = parseJson(textOf(markPath(root, run)));
  if (!isRecord(said) || typeof said.project !== "string") return null;
  const { project, here, own, leaving, removed } = said;
  return {
    project,
    isHere: here === true,
    isOwn: own === true,
    ...(typeof leaving === "string" && { leaving }),
    ...(typeof removed === "string" && { removed }),
  };
}

/** Remembers that somebody has removed the run from the shared store. Only for hooks and lists, so it may fail. */
export function markRemoved(root: string, run: string, project: string, removed: string): void {
  tryToMark(root, run, { project, removed });
}

/** Remembers that this clone works on the run. It may fail: the next commit from here remembers it, too. */
export function markWorkedOn(root: string, run: string, project: string): void {
  tryToMark(root, run, { project, isHere: true });
}

function tryToMark(root: string, run: string, mark: NewMark): void {
  // Whoever takes a run out of the shared store has its journal, which is no copy any more.
  if (readCopyMark(root, run)?.leaving !== undefined) return;
  try {
    markCopy(root, run, mark);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}

/** Whether a run with this mark is one of this clone, and still there. */
export function isWorkedOn(mark: CopyMark | null): boolean {
  return mark === null || (mark.isHere && mark.removed === undefined);
}

/** Which of these runs somebody has started or worked on from this clone. Those that are no copies count. */
export function workedOnIn(root: string, runs: readonly string[]): ReadonlySet<string> {
  const memory = createCopyMemory(root, runs.length);
  const isHere = (run: string) => memory.isHere(run) ?? readCopyMark(root, run)?.isHere !== false;
  return new Set(runs.filter(isHere));
}

function textOf(path: string): string {
  try {
    return readTextIfExists(path, sizeLimits.runFile) ?? "";
  } catch (error) {
    if (isHoldfastError(error)) return "";
    throw error;
  }
}

/** From then on the journal is an ordinary one. */
export function unmarkCopy(root: string, run: string): void {
  const path = markPath(root, run);
  writing(path, () => {
    rmSync(path, { force: true });
    flushFolder(dirname(path));
  });
}
