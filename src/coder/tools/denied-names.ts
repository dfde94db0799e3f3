import { compileGlob } from "../../model/pattern/glob.ts";
import { matchesWhole, type Pattern } from "../../model/pattern/pattern.ts";

/** Files that usually hold secrets. No file tool reads or writes them, whatever the permissions are. */
const alwaysDeniedNames: readonly string[] = [".env*", "*.pem", "id_*", ".npmrc", ".netrc", "credentials*"];

/** The glob that denies a path, which is relative to the worktree; null if none does. */
export type DeniedBy = (path: string, isFolder?: boolean) => string | null;

/**
 * The globs that are always denied are for names of files: a module may well have a folder `credentials`. One of the user
 * denies a folder with everything in it, too; with a slash it is for the path from the worktree.
 */
export function deniedNames(own: readonly string[]): DeniedBy {
  const known = seen.get(own);
  if (known !== undefined) return known;
  const always = alwaysDeniedNames.map(compile);
  const users = own.map(compile);
  const deniedBy: DeniedBy = (path, isFolder = false) => {
    const parts = path.split("/").map(fold);
    const name = parts.at(-1) ?? "";
    const folders = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    const found =
      (isFolder ? undefined : always.find(({ matches }) => matches(name))) ??
      users.find(({ glob, matches }) => (glob.includes("/") ? folders : parts).some(matches));
    return found?.glob ?? null;
  };
  seen.set(own, deniedBy);
  return deniedBy;
}

const seen = new WeakMap<readonly string[], DeniedBy>();

interface Glob {
  readonly glob: string;
  matches(this: void, text: string): boolean;
}

/** What is no glob denies the file of exactly that name. */
function compile(glob: string): Glob {
  const folded = fold(glob.replace(/^\/+/, ""));
  const compiled = compileGlob(folded);
  const pattern: Pattern | null = compiled.ok ? compiled.pattern : null;
  return { glob, matches: (text) => (pattern === null ? text === folded : matchesWhole(pattern, text)) };
}

/** A name as a file system may see it that ignores case, ligatures and invisible characters, as that of macOS does. */
export function fold(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .toLowerCase();
}
