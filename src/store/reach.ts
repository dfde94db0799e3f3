import { join } from "node:path";
import { type HoldfastError, isHoldfastError } from "../errors.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { readTextIfExists, replaceFile } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { isCopy, reachName } from "./journal-file.ts";

// What this machine remembers of the way to the shared store, in `.holdfast/cache`. Hooks never try it themselves: they
// say what the last command found out.

/** Times are in ISO 8601. */
export interface Reach {
  /** When the shared store last answered, to the minute. */
  readonly reached: string | null;
  /** When it failed to, if it has not answered since. */
  readonly failed: string | null;
  /** Whether it was asked in vain then; else it refuses, or may not be asked. */
  readonly isSilent: boolean;
}

/** How old a copy may be, and whether that is so because the shared store does not answer. */
export type CopyAge = Pick<Reach, "isSilent"> & { readonly asOf: string };

/** After an answer of the shared store. Writes at most once a minute, unless the attempt before had failed. */
export function noteReached(state: string, now: string): void {
  const { reached, failed } = readReach(state);
  const isFresh = reached !== null && Math.abs(Date.parse(now) - Date.parse(reached)) < freshMs;
  if (failed !== null || !isFresh) write(state, { reached: now, failed: null, isSilent: false });
}

/** After an attempt to use the shared store that has failed. */
export function noteAway(state: string, now: string, { code }: Pick<HoldfastError, "code">): void {
  write(state, { reached: readReach(state).reached, failed: now, isSilent: code === "store-unreachable" });
}

/** Nothing that was not written here counts: a cloned repository may bring any file along. */
export function readReach(state: string): Reach {
  const said = parseJson(readText(fileIn(state)));
  const { reached, failed, silent } = isRecord(said) ? said : {};
  return { reached: asTime(reached), failed: asTime(failed), isSilent: silent === true };
}

/** When the copy of a run was last known to be up to date, if the last attempt to use the shared store has failed. */
export function ageOfCopy(state: string, run: string): CopyAge | undefined {
  if (!isCopy(join(state, "runs"), run)) return undefined;
  const { reached, failed, isSilent } = readReach(state);
  return failed === null ? undefined : { asOf: reached ?? failed, isSilent };
}

const freshMs = 60_000;

function fileIn(state: string): string {
  return join(state, "cache", reachName);
}

function readText(path: string): string {
  try {
    return readTextIfExists(path, sizeLimits.name) ?? "";
  } catch (error) {
    if (isHoldfastError(error)) return "";
    throw error;
  }
}

function asTime(value: unknown): string | null {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Only a hint for people, so a cache that cannot be written stops nothing. */
function write(state: string, { failed, reached, isSilent }: Reach): void {
  try {
    // In this order: see `reachedBeginning`.
    replaceFile(fileIn(state), `${JSON.stringify({ failed, reached, silent: isSilent })}\n`, "quick");
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
