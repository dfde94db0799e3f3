import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { choices } from "../../model/nearest.ts";
import { bare, joinWords, quote } from "../../model/quote.ts";
import { hasCode, readBytesNow } from "../../platform/files.ts";
import { stateFolder } from "../../platform/links.ts";
import { readInside } from "../../platform/path-inside.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { isWorkflowPath, workflowFilesIn, workflowName } from "./workflow-files.ts";

/** The file of a workflow that another one extends. */
export interface BaseFile {
  /** Tells files apart, and is where its own `extends` starts from. */
  readonly file: string;
  readonly origin: "project" | "built-in";
  /** How messages name it. */
  readonly label: string;
  readonly content: Uint8Array;
}

/** Finds what `extends` names in the file `from`; a text says why there is nothing that may be read. */
export type FindBase = (reference: string, from: string) => BaseFile | string;

export interface Folders {
  readonly projectRoot: string;
  readonly stateRoot: string;
  readonly builtInFolder: string;
}

/** Finds bases by name, among the project's workflows and the built-in ones, or by their path inside the project. */
export function baseFinder(folders: Folders): FindBase {
  return (reference, from) => {
    const elsewhere = notInThisEdition(reference);
    if (elsewhere !== null) return elsewhere;
    return isWorkflowPath(reference) ? byPath(folders, reference, from) : byName(folders, reference, from);
  };
}

function notInThisEdition(reference: string): string | null {
  const kinds = "extends takes a built-in workflow, a workflow of the project or a file in it";
  if (/^(npm:|@)/.test(reference)) return `workflows from npm packages cannot be extended in this edition; ${kinds}`;
  // A drive letter is no scheme.
  if (/^[a-z][a-z0-9+.-]+:/i.test(reference))
    return `workflows from a URL cannot be extended in this edition; ${kinds}`;
  return null;
}

function byName({ stateRoot, builtInFolder }: Folders, name: string, from: string): BaseFile | string {
  const ownFolder = join(stateRoot, stateFolder, "workflows");
  const own = workflowFilesIn(ownFolder);
  const builtIn = workflowFilesIn(builtInFolder);
  const hidden = builtIn.find((file) => workflowName(file) === name);
  // A file that extends its own name means the built-in workflow that it overrides.
  const isSelf = workflowName(from) === name && isOwnFolder(dirname(from));
  const found = isSelf ? [] : own.filter((file) => workflowName(file) === name);
  const [file, second] = found;
  if (second !== undefined) {
    const names = found.map((each) => basename(each)).sort();
    return `${quote(name)} is the name of ${joinWords(names, "and")}; rename one of them, or extend ./${names[0]}`;
  }
  if (file !== undefined) return readBase(stateRoot, file);
  if (hidden !== undefined) {
    return {
      file: hidden,
      origin: "built-in",
      label: `built-in ${basename(hidden)}`,
      content: readBytesNow(hidden, sizeLimits.workflow),
    };
  }
  if (isSelf) return `there is no built-in workflow ${quote(name)}, and a workflow cannot extend itself`;
  const known = new Set([...own, ...builtIn].map(workflowName).sort());
  return `there is no workflow ${quote(name)}${choices(name, known, "there are")}`;
}

/** Also that of another worktree. */
function isOwnFolder(folder: string): boolean {
  return basename(folder) === "workflows" && basename(dirname(folder)) === stateFolder;
}

function byPath({ projectRoot, stateRoot, builtInFolder }: Folders, path: string, from: string): BaseFile | string {
  if (/^([/\\~]|[A-Za-z]:)/.test(path)) return `must be a path relative to this file, not ${quote(path)}`;
  // A workflow from outside the project was named by the user; what it extends is beside it.
  const root = [projectRoot, stateRoot, builtInFolder].find((folder) => isInside(folder, from)) ?? dirname(from);
  const file = resolve(dirname(from), path);
  return isInside(root, file) ? readBase(root, file) : `${quote(path)} is outside the project`;
}

function isInside(folder: string, file: string): boolean {
  return file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A cloned project must not choose what is read elsewhere, so nothing below `root` may be a link. */
function readBase(root: string, path: string): BaseFile | string {
  const label = relative(root, path);
  try {
    const content = readInside(root, path, sizeLimits.workflow, "none");
    return { file: join(realpathSync(root), label), origin: "project", label, content };
  } catch (error) {
    if (hasCode(error, "ELOOP")) return `${bare(label)} is or is behind a symbolic link, which is not followed`;
    if (hasCode(error, "EISDIR", "ENXIO")) return `${bare(label)} is not a plain file`;
    if (hasCode(error, "E2BIG")) return `${bare(label)} is too large`;
    if (hasCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "EACCES", "ERR_INVALID_ARG_VALUE", "EOUTSIDE"))
      return `there is no file ${bare(label)} that can be read`;
    throw error;
  }
}
