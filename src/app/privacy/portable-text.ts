import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Deps } from "../../operation/operation.ts";
import type { Roots } from "../../platform/roots.ts";

/** What a text may hold that belongs to this machine alone. */
export interface Machine {
  readonly roots: Roots;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a program printed, as it may be kept and moved: nothing of this machine, and no terminal codes. */
export function portableText(deps: Deps, projectRoot: string, text: string): string {
  return swapAll(plainText(text), swapsOf(machineOf(deps), projectRoot));
}

/** Any value, with no path of this machine and no secret of its environment in its texts; ids stay as they are. */
export function portableValue<T>(machine: Machine, projectRoot: string, value: T): T;
export function portableValue(machine: Machine, projectRoot: string, value: unknown): unknown {
  const swaps = swapsOf(machine, projectRoot);
  const swapped = (part: unknown): unknown => {
    if (typeof part === "string") return swapAll(part, swaps);
    if (Array.isArray(part)) return part.map(swapped);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, name === "id" ? inner : swapped(inner)]),
    );
  };
  return swapped(value);
}

export function machineOf({ roots, user, caller }: Deps): Machine {
  return { roots, home: user.home, env: caller.env };
}

interface Swap {
  readonly from: string;
  readonly pattern: RegExp | string;
  readonly to: string;
}

/** Made once for each environment and place: patterns cost more to make than texts to look through. */
function swapsOf({ roots, home, env }: Machine, projectRoot: string): readonly Swap[] {
  const made = madeFor.get(env) ?? new Map<string, readonly Swap[]>();
  madeFor.set(env, made);
  const key = `${roots.stateRoot}\0${roots.projectRoot}\0${projectRoot}\0${home}`;
  const swaps = made.get(key) ?? makeSwaps([roots.stateRoot, roots.projectRoot, projectRoot], home, env);
  made.set(key, swaps);
  return swaps;
}

const madeFor = new WeakMap<Machine["env"], Map<string, readonly Swap[]>>();

function makeSwaps(places: readonly string[], home: string, env: Machine["env"]): readonly Swap[] {
  const swaps = [
    ...[...new Set([...places, ...places.flatMap((place) => asEntered(place, env.PWD))])].flatMap((place) =>
      swapsOfPlace(place, "{project_root}"),
    ),
    ...homesOf(home).flatMap((place) => swapsOfPlace(place, "~")),
    ...Object.entries(env).flatMap(([name, value]) => swapsOfVariable(name, value ?? "")),
  ];
  // A longer text goes first: the project may lie inside the user's home.
  return swaps.sort((a, b) => b.from.length - a.from.length);
}

function swapAll(text: string, swaps: readonly Swap[]): string {
  let swapped = text;
  for (const { from, pattern, to } of swaps) {
    if (swapped.includes(from)) swapped = swapped.replaceAll(pattern, () => to);
  }
  return swapped;
}

/** A place as someone sees it who has come to it, or into it, through a link. */
function asEntered(place: string, entered: string | undefined): string[] {
  if (entered === undefined || !isAbsolute(entered) || !existsSync(entered)) return [];
  const within = relative(place, realpathSync(entered));
  if (within === "") return [entered];
  return !within.startsWith("..") && entered.endsWith(sep + within) ? [entered.slice(0, -within.length - 1)] : [];
}

/** The home as it is named, and where that leads; neither with a slash at its end. */
function homesOf(home: string): string[] {
  const named = home.replace(/[\\/]+$/, "");
  return [...new Set([named, existsSync(named) ? realpathSync(named) : named])];
}

/** A folder as the system writes it and as a URL does; `/app` is no part of `/application`. */
function swapsOfPlace(path: string, to: string): Swap[] {
  if (path.length < 2) return [];
  const spellings = new Set([path, pathToFileURL(path).pathname]);
  return [...spellings].map((from) => {
    const pattern = new RegExp(`${from.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\p{L}\\p{N}_-])`, "gu");
    return { from, pattern, to };
  });
}

const secretName = /(_KEY$|TOKEN|SECRET|PASSWORD)/i;
const secretLength = 8;

function swapsOfVariable(name: string, value: string): Swap[] {
  const secret = plainText(value).trim();
  if (!secretName.test(name) || secret.length < secretLength) return [];
  return [{ from: secret, pattern: secret, to: "***" }];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "");
}
