import { type Dirent, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { hasCode, unreadable } from "../platform/files.ts";
import { type IsTracked, trackedBelow } from "../platform/git-index.ts";
import { type Card, longestCard, parseCard } from "./card.ts";
import { type CardRoot, displayPath, findFolderProblem, resolveCardRoot } from "./card-root.ts";
import { instantOf } from "./read-fields.ts";
import { readText } from "./read-text.ts";

export interface CardFile {
  /** The absolute path. */
  readonly file: string;
  readonly card: Card;
}

/** Read-only access to the cards. */
export interface CardReader {
  /** Every readable card that git does not track, newest first, and notes on what was skipped. */
  list(now: string): { readonly cards: readonly CardFile[]; readonly notes: readonly string[] };
  find(runId: string): CardFile | null;
}

export interface CardSettings {
  readonly folder?: string;
}

export type WhichCard = { readonly runId: string } | { readonly workflow: string };

const endOfTime = "9999-12-31T23:59:59.999Z";

export function createCardReader(stateRoot: string, settings: CardSettings = {}): CardReader {
  const root = cardRootOf(stateRoot, settings);
  return {
    list: (now) =>
      reading(root, () => {
        const { cards, notes } = scanCards(root);
        return { cards: newestFirst(cards, now).map(({ file, card }) => ({ file, card })), notes };
      }),
    find: (runId) =>
      reading(root, () => {
        const [found] = newestFirst(matching(scanCards(root), { runId }), endOfTime);
        return found === undefined ? null : { file: found.file, card: found.card };
      }),
  };
}

export function cardRootOf(stateRoot: string, { folder }: CardSettings): CardRoot {
  return resolveCardRoot(stateRoot, folder ?? "untracked/workflow-state");
}

export function matching(scan: Scan, which: WhichCard): readonly FoundCard[] {
  return scan.cards.filter(({ card }) =>
    "runId" in which ? card.run_id === which.runId : card.run_id === null && card.workflow === which.workflow.trim(),
  );
}

function reading<T>(root: CardRoot, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unreadable(root.folder, cause);
  }
}

export interface FoundCard {
  readonly file: string;
  readonly card: Card;
  /** The text that it was parsed from. */
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
  /** What was skipped, and why. */
  readonly notes: readonly string[];
}

/** Far more than anyone has; the limit bounds how long a scan can take. */
const mostFiles = 1_000;

/** Reads all the cards of a project. Read-only. */
export function scanCards(root: CardRoot): Scan {
  const notes: string[] = [];
  const files = cardFiles(root, notes);
  const isTracked: IsTracked = files.length === 0 ? () => false : trackedBelow(root.folder);
  const cards: FoundCard[] = [];
  const broken: BrokenCard[] = [];
  for (const file of files) {
    if (isTracked(relative(root.folder, file).split(sep).join("/"))) {
      notes.push(`${displayPath(root, file)} is ignored: git tracks it, so it came with the repository`);
      continue;
    }
    const found = readCard(file);
    if (found === null) continue;
    if ("card" in found) cards.push(found);
    else broken.push(found);
  }
  notes.push(...broken.map(({ file, problem }) => `${displayPath(root, file)} is skipped: ${problem}`));
  return { cards, broken, notes };
}

/** Newest first, by the time inside the card: copying and checking out change a file's own time. */
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

function cardFiles(root: CardRoot, notes: string[]): string[] {
  const unsafe = findFolderProblem(root, root.folder);
  if (unsafe !== null) {
    notes.push(`${displayPath(root, unsafe.file)} is ignored: ${unsafe.problem}`);
    return [];
  }
  const folders = entriesOf(root, root.folder, notes).filter((entry) => !entry.isFile());
  const files = folders.flatMap((entry) => cardsIn(root, join(root.folder, entry.name), notes));
  if (files.length > mostFiles) notes.push(`${files.length - mostFiles} cards are skipped: there are too many`);
  return files.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1)).slice(0, mostFiles);
}

function cardsIn(root: CardRoot, folder: string, notes: string[]): string[] {
  const unsafe = findFolderProblem(root, folder);
  if (unsafe !== null) {
    notes.push(`${displayPath(root, folder)} is ignored: ${unsafe.problem}`);
    return [];
  }
  const entries = entriesOf(root, folder, notes).filter(({ name }) => /^state-.+\.json$/.test(name));
  for (const entry of entries.filter((one) => !one.isFile())) {
    const what = entry.isSymbolicLink() ? "a symbolic link" : "not a regular file";
    notes.push(`${displayPath(root, join(folder, entry.name))} is ignored: it is ${what}`);
  }
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
}

function entriesOf(root: CardRoot, folder: string, notes: string[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return [];
    const error = unreadable(folder, cause);
    if (!isHoldfastError(error, "file-unreadable")) throw error;
    notes.push(`${displayPath(root, folder)} is skipped: ${error.data.problem}`);
    return [];
  }
}

/** The start time in a card's file name, or the whole path if it has none. */
function startOf(file: string): string {
  return /\d{8}_\d{6}(?:-\d+)?(?=\.json$)/.exec(file)?.[0] ?? file;
}
