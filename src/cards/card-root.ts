import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { bare } from "../model/quote.ts";
import { hasCode, replaceFile } from "../platform/files.ts";

/** The folder with the state cards of a project. */
export interface CardRoot {
  readonly stateRoot: string;
  readonly folder: string;
}

export function resolveCardRoot(stateRoot: string, folder: string): CardRoot {
  const path = resolve(stateRoot, folder);
  const [first] = relative(stateRoot, path).split(sep);
  if (isAbsolute(folder) || first === "" || first === "..") {
    throw new HoldfastError("state-broken", { file: folder, problem: "the card folder must be inside the project" });
  }
  return { stateRoot, folder: path };
}

/** Creates the folder, with its own .gitignore so that cards never show up in the user's git status. */
export function prepareCardRoot(root: CardRoot): void {
  refuseUnsafeFolder(root, root.folder);
  makeFolder(root.folder);
  const ignore = join(root.folder, ".gitignore");
  if (!existsSync(ignore)) replaceFile(ignore, "*\n");
}

/** A cloned project could contain a link to the user's own files, so nothing is read or written through one. */
export function refuseUnsafeFolder(root: CardRoot, path: string): void {
  const problem = findFolderProblem(root, path);
  if (problem !== null) throw new HoldfastError("state-broken", { file: problem.file, problem: problem.problem });
}

/** Checks every folder from the state root down to `path`; returns the first one that must not hold cards, and why. */
export function findFolderProblem(
  root: CardRoot,
  path: string,
): { readonly file: string; readonly problem: string } | null {
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
export function findFileInTheWay(root: CardRoot): { readonly file: string; readonly problem: string } | null {
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

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause;
    throw new HoldfastError("file-unwritable", { file: path, problem: "it is a file, not a folder" }, { cause });
  }
}
