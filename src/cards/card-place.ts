import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { bare } from "../model/quote.ts";
import { hasCode, replaceFile } from "../platform/files.ts";

/** Where the cards of a project are. */
export interface CardPlace {
  readonly stateRoot: string;
  readonly folder: string;
}

export function cardPlace(stateRoot: string, folder: string): CardPlace {
  const path = resolve(stateRoot, folder);
  const [first] = relative(stateRoot, path).split(sep);
  if (isAbsolute(folder) || first === "" || first === "..") {
    throw new HoldfastError("state-broken", { file: folder, problem: "cards are kept inside the project only" });
  }
  return { stateRoot, folder: path };
}

/** The folder with its own ignore file, so that cards never show up in the user's git status. */
export function preparePlace(place: CardPlace): void {
  refuseLinks(place, place.folder);
  makeFolder(place.folder);
  const ignore = join(place.folder, ".gitignore");
  if (!existsSync(ignore)) replaceFile(ignore, "*\n");
}

/** A project could bring a link along that leads to files of the user's; nothing is read or written behind one. */
export function refuseLinks(place: CardPlace, path: string): void {
  const problem = strangeness(place, path);
  if (problem !== null) throw new HoldfastError("state-broken", { file: problem.file, problem: problem.problem });
}

/** What makes a folder on the way from the state root no place for cards of ours. */
export function strangeness(
  place: CardPlace,
  path: string,
): { readonly file: string; readonly problem: string } | null {
  let file = place.stateRoot;
  for (const part of relative(place.stateRoot, path).split(sep)) {
    file = join(file, part);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return { file, problem: "it is a symbolic link; cards are not kept behind one" };
    // Whoever reads or writes there will say that it is a file.
    if (!found?.isDirectory()) return null;
    if (file.length > place.folder.length && existsSync(join(file, ".git"))) {
      return { file, problem: "it is a repository of its own; cards are not kept in one" };
    }
  }
  return null;
}

/** A file as a note calls it. */
export function nameOf(place: CardPlace, file: string): string {
  return bare(relative(place.stateRoot, file).split(sep).join("/"));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause;
    throw new HoldfastError("file-unwritable", { file: path, problem: "it is a file, not a folder" }, { cause });
  }
}
