import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { hasCode, readUtf8, replaceFile, unwritable } from "../platform/files.ts";
import { cardText, longestCard, mergeCard, type OwnCard } from "./card.ts";
import {
  type CardReader,
  type CardRoot,
  type CardSettings,
  cardRootOf,
  createCardReader,
  displayPath,
  type FoundCard,
  matching,
  newestFirst,
  readCardAt,
  refuseUnsafeFolder,
  type Scan,
  scanCards,
  type WhichCard,
} from "./card-reader.ts";
import { fileTimestamp, slugOf } from "./slug.ts";
import { swapFile, withLock } from "./swap-file.ts";

export interface CardFolder extends CardReader {
  /** Merges into the card of the run or tracked workflow, or creates it. `earlier` is what we contributed to it before. */
  save(
    own: OwnCard,
    now: string,
    earlier?: OwnCard | null,
  ): { readonly file: string; readonly notes: readonly string[] };
  /** Removes the card, and its folder when nothing else is in it. */
  remove(which: WhichCard): void;
}

/** Give up when another program keeps changing the card. */
const mostTries = 20;

export function createCardFolder(stateRoot: string, settings: CardSettings = {}): CardFolder {
  const root = cardRootOf(stateRoot, settings);
  const lock = join(root.folder, ".lock");
  return {
    ...createCardReader(stateRoot, settings),
    save: (own, now, earlier = null) =>
      writing(root, () => {
        prepareCardRoot(root);
        return withLock(lock, () => save(root, own, now, earlier));
      }),
    remove: (which) =>
      writing(root, () => {
        if (matching(scanCards(root), which).length > 0) withLock(lock, () => remove(root, which));
      }),
  };
}

function writing<T>(root: CardRoot, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unwritable(root.folder, cause);
  }
}

function save(root: CardRoot, own: OwnCard, now: string, earlier: OwnCard | null): { file: string; notes: string[] } {
  const folder = join(root.folder, slugOf(own.workflow));
  const notes: string[] = [];
  for (let tries = 0; tries < mostTries; tries++) {
    const found = cardInPlace(root, folder, own) ?? searchCard(root, own, now);
    const there = "card" in found ? found : null;
    if (!("card" in found)) {
      refuseUnsafeFolder(root, folder);
      notes.push(...setAside(root, found, own, now));
    }
    const file = there?.file ?? freshFile(folder, own);
    const text = cardText(mergeCard(own, there?.card ?? null, now, earlier));
    if (Buffer.byteLength(text) > longestCard) {
      throw new HoldfastError("file-unwritable", { file, problem: "the card would be too large" });
    }
    // The card of a run can be made again from its journal; that of a tracked workflow is the only copy.
    const durability = own.run_id === null ? "flushed" : "quick";
    if (swapFile(file, text, () => isStill(file, there?.text ?? null), durability)) return { file, notes };
  }
  throw new HoldfastError("file-unwritable", { file: folder, problem: "another process keeps writing to it" });
}

/** The card of a run under the name that it was given. To read all of them would take longer with every live run. */
function cardInPlace(root: CardRoot, folder: string, own: OwnCard): FoundCard | null {
  if (own.run_id === null) return null;
  const found = readCardAt(root, join(folder, `${nameOf(own)}.json`));
  return found?.card.run_id === own.run_id ? found : null;
}

/** The newest card of the run or tracked workflow, wherever it is; if there is none, what was found. */
function searchCard(root: CardRoot, own: OwnCard, now: string): FoundCard | Scan {
  const scan = scanCards(root);
  const which = own.run_id === null ? { workflow: own.workflow } : { runId: own.run_id };
  return newestFirst(matching(scan, which), now)[0] ?? scan;
}

/** Renames unreadable files that, by their names, were this card. */
function setAside(root: CardRoot, scan: Scan, own: OwnCard, now: string): string[] {
  const slug = slugOf(own.workflow);
  const name = own.run_id === null ? `state-${slug}-` : nameOf(own);
  const broken = scan.broken.filter(({ file }) => file.startsWith(join(root.folder, slug, name)));
  return broken.map(({ file, problem, newer }) => {
    if (newer !== null) throw new HoldfastError("format-newer", { file, format: newer });
    const aside = unused(dirname(file), `${basename(file)}.corrupt-${fileTimestamp(now)}`, "");
    renameSync(file, aside);
    return `${displayPath(root, file)} could not be read (${problem}); it was renamed to ${basename(aside)} and a new card was written`;
  });
}

/** Two runs that start in the same second get different names. */
function freshFile(folder: string, own: OwnCard): string {
  return unused(folder, nameOf(own), ".json");
}

function nameOf({ workflow, created_at }: OwnCard): string {
  return `state-${slugOf(workflow)}-${fileTimestamp(created_at)}`;
}

function unused(folder: string, name: string, ending: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}${number === 1 ? "" : `-${number}`}${ending}`);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}

function isStill(file: string, text: string | null): boolean {
  const read = readUtf8(file, longestCard);
  return read === null ? text === null : read.ok && read.text === text;
}

function remove(root: CardRoot, which: WhichCard): void {
  for (const { file } of matching(scanCards(root), which)) {
    rmSync(file, { force: true });
    removeIfEmpty(dirname(file));
  }
}

function removeIfEmpty(folder: string): void {
  try {
    // A process that died while writing may have left its draft.
    for (const name of readdirSync(folder)) if (name.startsWith(".draft-")) rmSync(join(folder, name));
    rmdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  }
}

/**
 * Creates the folder, with its own .gitignore so that cards never show up in the user's git status. One that the settings name,
 * which may be those of a clone, gets none if there are other things in it: git would no longer show what the user adds to it.
 */
function prepareCardRoot(root: CardRoot): void {
  refuseUnsafeFolder(root, root.folder);
  makeFolder(root.folder);
  const ignore = join(root.folder, ".gitignore");
  if (!existsSync(ignore) && (root.isDefault || readdirSync(root.folder).length === 0)) replaceFile(ignore, "*\n");
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause;
    throw new HoldfastError("file-unwritable", { file: path, problem: "it is a file, not a folder" }, { cause });
  }
}
