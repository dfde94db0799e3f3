import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { hasCode, unwritable } from "../platform/files.ts";
import { cardText, longestCard, mergeCard, type OwnCard } from "./card.ts";
import { type CardPlace, nameOf, preparePlace, refuseLinks } from "./card-place.ts";
import {
  type CardReader,
  type CardSettings,
  createCardReader,
  matching,
  placeOf,
  type WhichCard,
} from "./card-reader.ts";
import { newestFirst, type Scan, scanCards } from "./card-scan.ts";
import { stampOf } from "./instant.ts";
import { withLock } from "./lock.ts";
import { readText } from "./read-text.ts";
import { slugOf } from "./slug.ts";
import { swapFile } from "./swap-file.ts";

export interface CardFolder extends CardReader {
  /** Merges into the card of the run or of the tracked workflow, or makes one. `earlier` is what was ours in it before. */
  save(
    own: OwnCard,
    now: string,
    earlier?: OwnCard | null,
  ): { readonly file: string; readonly notes: readonly string[] };
  /** Removes the card, and its folder when nothing else is in it. */
  remove(which: WhichCard): void;
}

/** Someone who writes without a pause is not waited for. */
const mostTries = 20;

export function createCardFolder(stateRoot: string, settings: CardSettings = {}): CardFolder {
  const place = placeOf(stateRoot, settings);
  const lock = join(place.folder, ".lock");
  return {
    ...createCardReader(stateRoot, settings),
    save: (own, now, earlier = null) =>
      writing(place, () => {
        preparePlace(place);
        return withLock(lock, () => save(place, own, now, earlier));
      }),
    remove: (which) =>
      writing(place, () => {
        if (matching(scanCards(place), which).length > 0) withLock(lock, () => remove(place, which));
      }),
  };
}

function writing<T>(place: CardPlace, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unwritable(place.folder, cause);
  }
}

function save(place: CardPlace, own: OwnCard, now: string, earlier: OwnCard | null): { file: string; notes: string[] } {
  const folder = join(place.folder, slugOf(own.workflow));
  const notes: string[] = [];
  for (let tries = 0; tries < mostTries; tries++) {
    const scan = scanCards(place);
    const which = own.run_id === null ? { workflow: own.workflow } : { runId: own.run_id };
    const [there] = newestFirst(matching(scan, which), now);
    if (there === undefined) {
      refuseLinks(place, folder);
      notes.push(...setAside(place, scan, own, now));
    }
    const file = there?.file ?? freshFile(folder, own);
    const text = cardText(mergeCard(own, there?.card ?? null, now, earlier));
    if (Buffer.byteLength(text) > longestCard) {
      throw new HoldfastError("file-unwritable", { file, problem: "the card would become too long" });
    }
    if (swapFile(file, text, () => isStill(file, there?.text ?? null))) return { file, notes };
  }
  throw new HoldfastError("file-unwritable", { file: folder, problem: "someone else keeps writing there" });
}

/** What stands in the way of a new card and cannot be read: it was this one, as far as its name can tell. */
function setAside(place: CardPlace, scan: Scan, own: OwnCard, now: string): string[] {
  const slug = slugOf(own.workflow);
  const name = own.run_id === null ? `state-${slug}-` : `state-${slug}-${stampOf(own.created_at)}`;
  const broken = scan.broken.filter(({ file }) => file.startsWith(join(place.folder, slug, name)));
  return broken.map(({ file, problem, newer }) => {
    if (newer !== null) throw new HoldfastError("format-newer", { file, format: newer });
    const aside = unused(dirname(file), `${basename(file)}.corrupt-${stampOf(now)}`, "");
    renameSync(file, aside);
    return `${nameOf(place, file)} could not be read (${problem}); it is now ${basename(aside)}, and a new card is written`;
  });
}

/** Two starts in one second get different names. */
function freshFile(folder: string, own: OwnCard): string {
  return unused(folder, `state-${slugOf(own.workflow)}-${stampOf(own.created_at)}`, ".json");
}

function unused(folder: string, name: string, ending: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}${number === 1 ? "" : `-${number}`}${ending}`);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}

function isStill(file: string, text: string | null): boolean {
  const read = readText(file, longestCard);
  return read === null ? text === null : read.ok && read.text === text;
}

function remove(place: CardPlace, which: WhichCard): void {
  for (const { file } of matching(scanCards(place), which)) {
    rmSync(file, { force: true });
    removeIfEmpty(dirname(file));
  }
}

function removeIfEmpty(folder: string): void {
  try {
    // Whoever died while it wrote has left its draft.
    for (const name of readdirSync(folder)) if (name.startsWith(".draft-")) rmSync(join(folder, name));
    rmdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  }
}
