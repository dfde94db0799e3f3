import { type Dirent, existsSync, lstatSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { bare } from "../model/quote.ts";
import { hasCode, readUtf8, unreadable } from "../platform/files.ts";
import { type IsTracked, trackedBelow } from "../platform/git-folder.ts";
import { type Card, longestCard, parseCard } from "./card.ts";
import { instantOf } from "./read-fields.ts";

export interface CardFile {
  /** The absolute path. */
  readonly file: string;
  readonly card: Card;
  /** When it was last changed, as far as the file and the card tell. */
  readonly updatedAt: string;
}

/** The folder with the state cards of a project. */
export interface CardRoot {
  readonly stateRoot: string;
  readonly folder: string;
  /** Whether it is Holdfast's own, and not one that the settings name. */
  readonly isDefault: boolean;
}

/** Read-only access to the cards. */
export interface CardReader {
  /** Every readable card that git does not track, newest first, and notes on what was skipped. */
  list(now: string): { readonly cards: readonly CardFile[]; readonly notes: readonly string[] };
  find(runId: string): CardFile | null;
  /** Why no card can be kept here; null if nothing is in the way. */
  obstacle(): string | null;
}

export interface CardSettings {
  readonly folder?: string;
}

export type WhichCard = { readonly runId: string } | { readonly workflow: string };

const endOfTime = "9999-12-31T23:59:59.999Z";

/** The cards of a project, as its settings have them. Null when they are turned off. */
export function openCards({ roots, settings }: CardProject): CardReader | null {
  return settings.cards.on ? createCardReader(roots.stateRoot, settings.cards) : null;
}

interface CardProject {
  readonly roots: { readonly stateRoot: string };
  readonly settings: { readonly cards: CardSettings & { readonly on: boolean } };
}

export function createCardReader(stateRoot: string, settings: CardSettings = {}): CardReader {
  const root = cardRootOf(stateRoot, settings);
  return {
    list: (now) =>
      reading(root, () => {
        const { cards, notes } = scanCards(root);
        return { cards: newestFirst(cards, now).map((found) => cardFile(found, now)), notes };
      }),
    find: (runId) =>
      reading(root, () => {
        const [found] = newestFirst(matching(scanCards(root), { runId }), endOfTime);
        return found === undefined ? null : cardFile(found, endOfTime);
      }),
    obstacle: () => reading(root, () => obstacleIn(root)),
  };
}

export function cardRootOf(stateRoot: string, { folder }: CardSettings): CardRoot {
  return resolveCardRoot(stateRoot, folder ?? defaultFolder);
}

const defaultFolder = "untracked/workflow-state";

function resolveCardRoot(stateRoot: string, folder: string): CardRoot {
  const path = resolve(stateRoot, folder);
  const [first] = relative(stateRoot, path).split(sep);
  if (isAbsolute(folder) || first === "" || first === "..") {
    throw new HoldfastError("state-broken", { file: folder, problem: "the card folder must be inside the project" });
  }
  return { stateRoot, folder: path, isDefault: folder === defaultFolder };
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
  /** When the file was last changed, in milliseconds. */
  readonly changedAt: number;
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
    if (isTracked(pathBelow(root, file))) {
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

/** Reads one card, as a scan would; null if that would skip it. */
export function readCardAt(root: CardRoot, file: string): FoundCard | null {
  if (findFolderProblem(root, dirname(file)) !== null || !existsSync(file)) return null;
  if (trackedBelow(root.folder)(pathBelow(root, file))) return null;
  const found = readCard(file);
  return found !== null && "card" in found ? found : null;
}

export function newestFirst(cards: readonly FoundCard[], now: string): FoundCard[] {
  const rank = (card: FoundCard) => changeTime(card, now);
  return cards.toSorted((a, b) => rank(b) - rank(a) || (a.file < b.file ? -1 : 1));
}

/** The file's own time or the time inside it, whichever is later. A time in the future does not count; -1 if none does. */
function changeTime({ card, changedAt }: FoundCard, now: string): number {
  const latest = (instantOf(now) ?? 0) + clockSlack;
  const times = [instantOf(card.updated_at ?? card.created_at) ?? 0, changedAt];
  return Math.max(-1, ...times.filter((time) => time <= latest));
}

function cardFile(found: FoundCard, now: string): CardFile {
  const { file, card } = found;
  const time = changeTime(found, now);
  const written = card.updated_at ?? card.created_at;
  return { file, card, updatedAt: time === instantOf(written) || time < 0 ? written : new Date(time).toISOString() };
}

/** A file system may round the time of a file up. */
const clockSlack = 2_000;

function readCard(file: string): FoundCard | BrokenCard | null {
  const read = readUtf8(file, longestCard);
  if (read === null) return null;
  if (!read.ok) return { file, problem: read.problem, newer: null };
  const parsed = parseCard(read.text);
  if (!parsed.ok) return { file, problem: parsed.problem, newer: parsed.newer ?? null };
  const changedAt = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { file, card: parsed.card, text: read.text, changedAt };
}

function pathBelow(root: CardRoot, file: string): string {
  return relative(root.folder, file).split(sep).join("/");
}

/** A folder that must not hold cards, or a file where a folder should be. */
function obstacleIn(root: CardRoot): string | null {
  const found = findFolderProblem(root, root.folder) ?? findFileInTheWay(root);
  return found === null ? null : `${displayPath(root, found.file)} is ignored: ${found.problem}`;
}

function cardFiles(root: CardRoot, notes: string[]): string[] {
  const obstacle = obstacleIn(root);
  if (obstacle !== null) {
    notes.push(obstacle);
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

/** A cloned project could contain a link to the user's own files, so nothing is read or written through one. */
export function refuseUnsafeFolder(root: CardRoot, path: string): void {
  const problem = findFolderProblem(root, path);
  if (problem !== null) throw new HoldfastError("state-broken", { file: problem.file, problem: problem.problem });
}

/** Checks every folder from the state root down to `path`; returns the first one that must not hold cards, and why. */
function findFolderProblem(root: CardRoot, path: string): { readonly file: string; readonly problem: string } | null {
  let file = root.stateRoot;
  for (const part of relative(root.stateRoot, path).split(sep)) {
    file = join(file, part);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return { file, problem: "it is a symbolic link; cards are not stored behind one" };
    // If it is a file, the read or write that follows reports it.
    if (!found?.isDirectory()) return null;
    if (file.length > root.folder.length && existsSync(join(file, ".git"))) {
      return { file, problem: "it is a separate git repository; cards are not stored in one" };
    }
  }
  return null;
}

/** A file that has the place of the card folder, or of a folder above it. */
function findFileInTheWay(root: CardRoot): { readonly file: string; readonly problem: string } | null {
  let file = root.stateRoot;
  for (const part of relative(root.stateRoot, root.folder).split(sep)) {
    file = join(file, part);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isDirectory()) return { file, problem: "it is a file, not a folder, so no state card can be kept" };
  }
  return null;
}

/** A file's path as notes show it: relative to the state root. */
export function displayPath(root: CardRoot, file: string): string {
  return bare(relative(root.stateRoot, file).split(sep).join("/"));
}
