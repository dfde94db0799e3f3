import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { namesInFolder, readInPlace, replaceFile } from "../platform/files.ts";
import { hasSettled } from "../platform/stamp.ts";

// What is remembered of the copies of shared runs in `.holdfast/cache`, so that a look at all of them opens none: where each
// ends, and whether somebody works on it here. Like the index of runs it counts only while the files are the same ones,
// which a repository cannot know beforehand.

/** With fewer runs than these, nothing is remembered: reading them takes no time. */
const leastRuns = 30;

export interface CopyMemory {
  /**
   * Whether somebody works on the copy here. Null unless nothing has come into the run's folder since, or gone: otherwise
   * no notices of hooks wait there either.
   */
  isHere(run: string): boolean | null;
  /** The id of its last commit; null if the journal has changed since. */
  head(run: string): string | null;
  /**
   * To be called before the copy is read. Returns what remembers what was found in it, unless the folder has changed just
   * now, so that another change could leave the same time.
   */
  watch(run: string): (found: Pick<Entry, "head" | "isHere">) => void;
  /** Stores what was learned, if that is worth it. Forgets all other runs. */
  store(runs: readonly string[]): void;
}

/** The numbers tell the folder and the journal apart from any others, or later ones. A ctime cannot be set. */
interface Entry {
  readonly folder: readonly [ino: number, ctimeMs: number];
  readonly journal: readonly [ino: number, size: number, ctimeMs: number];
  readonly head: string;
  readonly isHere: boolean;
}

/** Of a folder with so many runs. */
export function createCopyMemory(root: string, count: number): CopyMemory {
  const entries = count > leastRuns ? readEntries(root) : new Map<string, Entry>();
  let learned = 0;
  return {
    isHere(run) {
      const entry = entries.get(run);
      const isSameFolder = entry !== undefined && isSame(entry.folder, folderNumbers(look(`${root}/${run}`)));
      return isSameFolder ? entry.isHere : null;
    },
    head(run) {
      const entry = entries.get(run);
      const isUnmoved = entry !== undefined && isSame(entry.journal, journalNumbers(look(journalOf(root, run))));
      return isUnmoved ? entry.head : null;
    },
    watch(run) {
      if (count <= leastRuns) return () => {};
      const [folder, journal] = [look(`${root}/${run}`), look(journalOf(root, run))];
      const isLasting = folder?.isDirectory() === true && journal?.isFile() === true && hasSettled(folder.ctimeMs);
      if (!isLasting || !hasSettled(journal.ctimeMs)) return () => {};
      return ({ head, isHere }) => {
        if (hasNotices(root, run)) return;
        entries.set(run, { folder: folderNumbers(folder), journal: journalNumbers(journal), head, isHere });
        learned += 1;
      };
    },
    store(runs) {
      if (learned < leastLearned) return;
      learned = 0;
      const kept = runs.flatMap((run) => {
        const entry = entries.get(run);
        return entry === undefined ? [] : [[run, [...entry.folder, ...entry.journal, entry.head, entry.isHere]]];
      });
      try {
        replaceFile(fileFor(root), JSON.stringify({ format: 1, copies: Object.fromEntries(kept) }), "quick");
      } catch (error) {
        // Without it the next look takes longer.
        if (!isHoldfastError(error)) throw error;
      }
    },
  };
}

/** Whether hooks have noticed something about a copy that no command has recorded yet. */
function hasNotices(root: string, run: string): boolean {
  return namesInFolder(`${root}/${run}`).some((name) => name.startsWith("notices"));
}

/** Copies that are worked on change often, so a few that are not remembered are read each time. */
const leastLearned = 16;
/** In bytes; 100,000 copies have less. */
const longestFile = 32 * 1024 * 1024;

function readEntries(root: string): Map<string, Entry> {
  const said = parseJson(readText(fileFor(root)));
  const copies = isRecord(said) && said.format === 1 && isRecord(said.copies) ? said.copies : {};
  return new Map(
    Object.entries(copies).flatMap(([run, value]) => {
      if (!Array.isArray(value) || value.length !== 7) return [];
      const [ino, changed, journal, size, written, head, isHere] = value;
      return [
        [run, { folder: [ino, changed], journal: [journal, size, written], head, isHere: isHere === true }] as const,
      ];
    }),
  );
}

/** Empty if it is missing, too long, a link or not ours to read. */
function readText(path: string): string {
  try {
    return readInPlace(path, longestFile).toString("utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Reading it will report the error.
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function folderNumbers(stats: Stats | undefined): [number, number] {
  return [stats?.ino ?? 0, stats?.ctimeMs ?? 0];
}

function journalNumbers(stats: Stats | undefined): [number, number, number] {
  return [stats?.ino ?? 0, stats?.size ?? 0, stats?.ctimeMs ?? 0];
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.every((number, place) => number === b[place]);
}

// `join` would take as long as the look at the file.
function journalOf(root: string, run: string): string {
  return `${root}/${run}/journal.jsonl`;
}

function fileFor(root: string): string {
  return join(dirname(root), "cache", "copies");
}
