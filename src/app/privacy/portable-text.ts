import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Deps } from "../../operation/operation.ts";
import type { Roots } from "../../platform/roots.ts";

/** The paths and environment of this machine, which must not leave it in a text. */
export interface Machine {
  readonly roots: Roots;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Makes a program's output portable: without this machine's paths and secrets, and without terminal codes. */
export function portableText(deps: Deps, projectRoot: string, text: string): string {
  return applyReplacements(plainText(text), replacementsFor(machineOf(deps), projectRoot));
}

/** Replaces this machine's paths and secrets in all strings of a value, except in ids. */
export function portableValue<T>(machine: Machine, projectRoot: string, value: T): T;
export function portableValue(machine: Machine, projectRoot: string, value: unknown): unknown {
  const replacements = replacementsFor(machine, projectRoot);
  const replaced = (part: unknown): unknown => {
    if (typeof part === "string") return applyReplacements(part, replacements);
    if (Array.isArray(part)) return part.map(replaced);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, name === "id" ? inner : replaced(inner)]),
    );
  };
  return replaced(value);
}

export function machineOf({ roots, user, caller }: Deps): Machine {
  return { roots, home: user.home, env: caller.env };
}

interface Replacement {
  readonly from: string;
  readonly pattern: RegExp | string;
  readonly to: string;
}

/** Cached by environment and folders: building the patterns costs more than applying them. */
function replacementsFor({ roots, home, env }: Machine, projectRoot: string): readonly Replacement[] {
  const byRoots = cache.get(env) ?? new Map<string, readonly Replacement[]>();
  cache.set(env, byRoots);
  const key = `${roots.stateRoot}\0${roots.projectRoot}\0${projectRoot}\0${home}`;
  const replacements =
    byRoots.get(key) ?? buildReplacements([roots.stateRoot, roots.projectRoot, projectRoot], home, env);
  byRoots.set(key, replacements);
  return replacements;
}

const cache = new WeakMap<Machine["env"], Map<string, readonly Replacement[]>>();

function buildReplacements(places: readonly string[], home: string, env: Machine["env"]): readonly Replacement[] {
  const replacements = [
    ...[...new Set([...places, ...places.flatMap((place) => linkedPaths(place, env.PWD))])].flatMap((place) =>
      pathReplacements(place, "{project_root}"),
    ),
    ...homesOf(home).flatMap((place) => pathReplacements(place, "~")),
    ...Object.entries(env).flatMap(([name, value]) => secretReplacements(name, value ?? "")),
  ];
  // Longest first: the project may be inside the user's home.
  return replacements.sort((a, b) => b.from.length - a.from.length);
}

function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  let replaced = text;
  for (const { from, pattern, to } of replacements) {
    if (replaced.includes(from)) replaced = replaced.replaceAll(pattern, () => to);
  }
  return replaced;
}

/** The path of a folder as a shell shows it that entered it, or a folder in it, through a link. */
function linkedPaths(place: string, entered: string | undefined): string[] {
  if (entered === undefined || !isAbsolute(entered) || !existsSync(entered)) return [];
  const within = relative(place, realpathSync(entered));
  if (within === "") return [entered];
  return !within.startsWith("..") && entered.endsWith(sep + within) ? [entered.slice(0, -within.length - 1)] : [];
}

/** The home folder as configured and as a real path, both without a trailing slash. */
function homesOf(home: string): string[] {
  const named = home.replace(/[\\/]+$/, "");
  return [...new Set([named, existsSync(named) ? realpathSync(named) : named])];
}

/** Matches a folder as a path and as a URL, but not as a prefix of another name: `/app` is not in `/application`. */
function pathReplacements(path: string, to: string): Replacement[] {
  if (path.length < 2) return [];
  const spellings = new Set([path, pathToFileURL(path).pathname]);
  return [...spellings].map((from) => {
    const pattern = new RegExp(`${from.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\p{L}\\p{N}_-])`, "gu");
    return { from, pattern, to };
  });
}

const secretName = /(_KEY$|TOKEN|SECRET|PASSWORD)/i;
const secretLength = 8;

function secretReplacements(name: string, value: string): Replacement[] {
  const secret = plainText(value).trim();
  if (!secretName.test(name) || secret.length < secretLength) return [];
  return [{ from: secret, pattern: secret, to: "***" }];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "");
}
