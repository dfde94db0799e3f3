import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { hasCode, unreadable } from "../platform/files.ts";
import { type IsTracked, trackedBelow } from "../platform/git-index.ts";
import { type Card, longestCard, parseCard } from "./card.ts";
import { type CardPlace, nameOf, strangeness } from "./card-place.ts";
import { instantOf } from "./instant.ts";
import { readText } from "./read-text.ts";

export interface FoundCard {
  readonly file: string;
  readonly card: Card;
  /** The very text that it was read from. */
  readonly text: string;
}

export interface BrokenCard {
  readonly file: string;
  readonly problem: string;
  readonly newer: number | null;
}

export interface Scan {
  readonly cards: readonly FoundCard[];
  readonly broken: readonly BrokenCard[];
  /** What was passed over, and why. */
  readonly notes: readonly string[];
}

/** More than anyone has; beyond them the reading would only take time. */
const mostFiles = 1_000;

/** Reads all the cards of a place. Nothing is changed. */
export function scanCards(place: CardPlace): Scan {
  const notes: string[] = [];
  const files = cardFiles(place, notes);
  const isTracked: IsTracked = files.length === 0 ? () => false : trackedBelow(place.folder);
  const cards: FoundCard[] = [];
  const broken: BrokenCard[] = [];
  for (const file of files) {
    if (isTracked(relative(place.folder, file).split(sep).join("/"))) {
      notes.push(`${nameOf(place, file)} is ignored: git tracks it, so it came with the repository`);
      continue;
    }
    const found = readCard(file);
    if (found === null) continue;
    if ("card" in found) cards.push(found);
    else broken.push(found);
  }
  notes.push(...broken.map(({ file, problem }) => `${nameOf(place, file)} is passed over: ${problem}`));
  return { cards, broken, notes };
}

/** The newest first, by the time inside the card: copies and checkouts change what the disk says. */
export function newestFirst(cards: readonly FoundCard[], now: string): FoundCard[] {
  const rank = ({ card }: FoundCard) => {
    const time = instantOf(card.updated_at ?? card.created_at) ?? 0;
    return time > (instantOf(now) ?? 0) ? -1 : time;
  };
  return cards.toSorted((a, b) => rank(b) - rank(a) || (a.file < b.file ? -1 : 1));
}

function readCard(file: string): FoundCard | BrokenCard | null {
  const read = readText(file, longestCard);
  if (read === null) return null;
  if (!read.ok) return { file, problem: read.problem, newer: null };
  const parsed = parseCard(read.text);
  if (!parsed.ok) return { file, problem: parsed.problem, newer: parsed.newer ?? null };
  return { file, card: parsed.card, text: read.text };
}

function cardFiles(place: CardPlace, notes: string[]): string[] {
  const strange = strangeness(place, place.folder);
  if (strange !== null) {
    notes.push(`${nameOf(place, strange.file)} is ignored: ${strange.problem}`);
    return [];
  }
  const folders = entriesOf(place, place.folder, notes).filter((entry) => !entry.isFile());
  const files = folders.flatMap((entry) => cardsIn(place, join(place.folder, entry.name), notes));
  if (files.length > mostFiles) notes.push(`${files.length - mostFiles} cards are passed over: there are too many`);
  return files.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1)).slice(0, mostFiles);
}

function cardsIn(place: CardPlace, folder: string, notes: string[]): string[] {
  const strange = strangeness(place, folder);
  if (strange !== null) {
    notes.push(`${nameOf(place, folder)} is ignored: ${strange.problem}`);
    return [];
  }
  const entries = entriesOf(place, folder, notes).filter(({ name }) => /^state-.+\.json$/.test(name));
  for (const entry of entries.filter((one) => !one.isFile())) {
    const what = entry.isSymbolicLink() ? "a symbolic link" : "no plain file";
    notes.push(`${nameOf(place, join(folder, entry.name))} is ignored: it is ${what}`);
  }
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}

function entriesOf(place: CardPlace, folder: string, notes: string[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return [];
    const error = unreadable(folder, cause);
    if (!isHoldfastError(error, "file-unreadable")) throw error;
    notes.push(`${nameOf(place, folder)} is passed over: ${error.data.problem}`);
    return [];
  }
}

/** The start in a card's file name, and the whole path where there is none. */
function startOf(file: string): string {
  return /\d{8}_\d{6}(?:-\d+)?(?=\.json$)/.exec(file)?.[0] ?? file;
}
