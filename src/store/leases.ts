import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { checkedRunId } from "../model/run-id.ts";
import { hasCode, readTextIfExists, replaceFile, unwritable } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { reading, refuseUnlessPlain } from "./journal-file.ts";

/** A sign of life of whoever holds a claim. */
export interface Lease {
  readonly at: string;
  /** The process that works on the task for as long as it lives; null if no process stays. */
  readonly runner: string | null;
}

/** In place of a claim's number: the lease of a process that works on a run without a claim. */
export const processLease = 0;

/** Signs of life beside the journal: they are many, and nobody needs them when the claim has ended. */
export interface Leases {
  /** Those of these claims that can be read. */
  read(run: string, claims: readonly number[]): Promise<ReadonlyMap<number, Lease>>;
  renew(run: string, claim: number, lease: Lease): Promise<void>;
  /** Removes those of the first `known` claims that are not held any more, also where a killed process left one. */
  endAllBut(run: string, held: ReadonlySet<number>, known: number): Promise<void>;
  /** Whether machines share them that cannot see each other's processes. */
  isShared(): boolean;
}

export function createLeases(root: string): Leases {
  const pathOf = (run: string, claim: number) => join(root, checkedRunId(run), `lease-${claim}.json`);
  return {
    isShared: () => false,
    async read(run, claims) {
      const found = claims.map((claim) => [claim, leaseAt(pathOf(run, claim))] as const);
      return new Map(found.flatMap(([claim, lease]) => (lease === null ? [] : [[claim, lease]])));
    },
    async renew(run, claim, lease) {
      // It must not bring back the folder of a run that was removed.
      if (existsSync(join(root, checkedRunId(run)))) replaceFile(pathOf(run, claim), JSON.stringify(lease), "quick");
    },
    async endAllBut(run, held, known) {
      const folder = join(root, checkedRunId(run));
      try {
        for (const name of readdirSync(folder)) {
          const claim = Number(/^lease-(\d{1,15})\.json$/.exec(name)?.[1] ?? Number.NaN);
          if (claim <= known && !held.has(claim)) rmSync(join(folder, name), { force: true, recursive: true });
        }
      } catch (cause) {
        if (!hasCode(cause, "ENOENT")) throw unwritable(folder, cause);
      }
    },
  };
}

/** Null if there is none, or none that can be read. */
function leaseAt(path: string): Lease | null {
  try {
    reading(path, () => refuseUnlessPlain(path, "file-unreadable"));
    return leaseIn(readTextIfExists(path, sizeLimits.runFile));
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return null;
    throw error;
  }
}

function leaseIn(text: string | null): Lease | null {
  const value = text === null ? null : parseJson(text);
  if (!isRecord(value) || typeof value.at !== "string" || Number.isNaN(Date.parse(value.at))) return null;
  return { at: value.at, runner: typeof value.runner === "string" ? value.runner : null };
}
