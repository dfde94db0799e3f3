import { lstatSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { parseJson } from "../../model/json.ts";
import { hasCode, readTextIfExists } from "../../platform/files.ts";
import { realFolderInside } from "../../platform/path-inside.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { FaberBases } from "../../templates/faber/faber.ts";

/** Where FABER keeps a project's own workflows. */
const ownFolder = ".fractary/faber/workflows";

/** As many as the workflow language allows for its own `extends`. */
const longestChain = 8;

/** The bases with the names of their files, or what is wrong with them. */
export type ReadBases = (FaberBases & { readonly files: readonly string[] }) | { readonly problem: string };

/** Reads the workflows that a FABER workflow extends: from its own folder, or from the project's FABER folder. */
export function readFaberBases(source: string, value: unknown, projectRoot: string): ReadBases {
  const found: unknown[] = [];
  const files = [source];
  for (let name = extendedBy(value); name !== null; name = extendedBy(found.at(-1))) {
    if (files.length > longestChain) return { problem: `more than ${longestChain} workflows extend each other` };
    const file = findBase(name, files.at(-1) ?? source, projectRoot);
    if (file === null) return { found, files: namesOf(files), missing: name };
    if (files.includes(file)) return { problem: `${basename(file)} extends itself, directly or through others` };
    const base = parseJson(readTextIfExists(file, sizeLimits.workflow)?.replace(/^\uFEFF/, "") ?? "");
    if (base === undefined) return { problem: `${basename(file)}, which it extends, is not JSON` };
    found.push(base);
    files.push(file);
  }
  return { found, files: namesOf(files), missing: null };
}

function namesOf([, ...bases]: readonly string[]): readonly string[] {
  return bases.map((file) => basename(file));
}

function extendedBy(value: unknown): string | null {
  const name: unknown = Object(value).extends;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

/** `fractary-faber:core`, `faber@fractary-faber-core` and `core` are all in a file core.json. */
function findBase(name: string, from: string, projectRoot: string): string | null {
  const last = name.replace(/^.*[:@/]/, "");
  const names = [last, last.replace(/^fractary-faber-/, "")].filter((each) => /^[A-Za-z0-9][\w.-]{0,99}$/.test(each));
  const folders = [dirname(from), realFolderInside(projectRoot, ownFolder)].filter((folder) => folder !== null);
  const files = folders.flatMap((folder) => names.map((each) => resolve(folder, `${each}.json`)));
  // A workflow that is named like its base means the base, not itself.
  return files.find((file) => file !== from && isPlainFile(file)) ?? null;
}

function isPlainFile(file: string): boolean {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= 1024 * 1024;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return false;
    throw error;
  }
}
