import { join } from "node:path";
import * as z from "zod";
import { type ErrorCode, type ErrorData, type HoldfastError, isHoldfastError, isInterruption } from "../../errors.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { type CopyFiles, createCopyFiles } from "../../store/copy-file.ts";
import { readCopyMark } from "../../store/copy-mark.ts";
import { createNoticeQueue } from "../../store/notice-queue.ts";
import { knownVersion } from "../../store/postgres/schema.ts";
import { readReach } from "../../store/reach.ts";
import type { Head, SharedStore } from "../../store/store.ts";
import { isConfirmed } from "./confirmed-projects.ts";
import { findNamed } from "./place.ts";

/** Where the runs of this project are. Nothing in it has a password. */
export interface StoreStatus {
  readonly store: "files" | "postgres";
  readonly project: string | null;
  readonly confirmed: boolean | null;
  /** Whether the user has named a database. */
  readonly named: boolean;
  /** The database; null if none is named, or its address cannot be understood. */
  readonly where: string | null;
  /** Null if it was not asked. */
  readonly reachable: boolean | null;
  /** When it last answered a command here. */
  readonly reachedAt: string | null;
  /** The version of the tables, and the one that this program needs; `found` is null if it is not known. */
  readonly schema: { readonly found: number | null; readonly needed: number } | null;
  /** How followers hear of changes: the database tells, or is asked again and again. */
  readonly changes: "listen" | "poll" | null;
  /** `atLeast` if they were not counted to the end. */
  readonly runs: { readonly count: number; readonly atLeast?: true } | null;
  readonly copies: CopyCount;
  readonly problem: { readonly code: ErrorCode; readonly message: string; readonly next: string } | null;
}

/** The copies of shared runs here, compared with the store as far as it answers. */
export interface CopyCount {
  readonly here: number;
  readonly behind: readonly string[];
  /** They have commits that the database lacks. */
  readonly ahead: readonly string[];
  /** Somebody has removed the runs from the database. */
  readonly removed: readonly string[];
  /** Runs in files that were never moved. */
  readonly unshared: number;
  /** What hooks have noticed and was not recorded yet. */
  readonly queuedNotices: number;
}

const files: StoreStatus = {
  store: "files",
  project: null,
  confirmed: null,
  named: false,
  where: null,
  reachable: null,
  reachedAt: null,
  schema: null,
  changes: null,
  runs: null,
  copies: { here: 0, behind: [], ahead: [], removed: [], unshared: 0, queuedNotices: 0 },
  problem: null,
};

export const showStore = defineOperation({
  summary: "Where the runs of this project are, and whether the database answers.",
  input: z.strictObject({}),
  run: async (deps): Promise<Outcome<StoreStatus>> => yes(await storeStatus(deps)),
});

export async function storeStatus(deps: Deps): Promise<StoreStatus> {
  deps.refuseLinks();
  const { shared: named } = (await findSettings(deps.roots.stateRoot)).settings;
  const names = deps.index.names();
  const copied = await deps.shared();
  if (named === null || copied === null) return { ...files, runs: { count: names.length } };
  const project = named === "unclear" ? null : named.project;
  const confirmed = project === null ? null : isConfirmed(deps, project);
  const { isNamed, where, problem } = await findNamed(deps);
  const reachedAt = readReach(join(deps.roots.stateRoot, stateFolder)).reached;
  const schema = { found: null, needed: knownVersion };
  const known = { ...files, store: "postgres", project, confirmed, named: isNamed, where, reachedAt, schema } as const;
  if (copied instanceof Error) {
    // Nobody can confirm a project of a database that has no address.
    return { ...known, copies: countCopies(deps, null), problem: problemOf(problem ?? copied) };
  }
  try {
    return { ...known, ...(await ask(deps, copied.shared)) };
  } catch (error) {
    if (!isHoldfastError(error) || isInterruption(error)) throw error;
    return {
      ...known,
      reachable: isReachable(error),
      ...(isHoldfastError(error, "store-schema") && { schema: { ...schema, found: foundIn(error.data) } }),
      copies: countCopies(deps, null),
      problem: problemOf(error),
    };
  }
}

/** Tables without a version are not missing. */
function foundIn({ found, missing }: ErrorData["store-schema"]): number | null {
  return found === 0 && missing !== undefined ? null : found;
}

/** Whether the server has answered with this error; null if it was not asked. */
function isReachable(error: HoldfastError): boolean | null {
  if (isHoldfastError(error, "store-refused")) return error.data.fix === undefined || error.data.isAsked ? true : null;
  return isHoldfastError(error, "store-driver-missing") ? null : isHoldfastError(error, "store-schema");
}

const mostCounted = 100_000;

async function ask(deps: Deps, shared: SharedStore) {
  const count = await shared.countRuns({ most: mostCounted });
  const following = await shared.follow(() => {});
  const changes = following.by();
  await following.stop();
  const names = deps.index.names();
  const { project } = shared;
  const there = { project, heads: await shared.heads(names), removals: await shared.removals(names) };
  return {
    reachable: true,
    schema: { found: knownVersion, needed: knownVersion },
    changes,
    runs: { count, ...(count === mostCounted && { atLeast: true as const }) },
    copies: countCopies(deps, there),
  };
}

interface There {
  readonly project: string;
  readonly heads: ReadonlyMap<string, Head>;
  readonly removals: ReadonlyMap<string, Head>;
}

/** Without knowing what the database has, copies are only counted. */
function countCopies({ roots, index }: Deps, there: There | null): CopyCount {
  const root = join(roots.stateRoot, stateFolder, "runs");
  const journals = createCopyFiles(root);
  const all = index.names().flatMap((run) => {
    const last = lastOf(journals, run);
    return last === null ? [] : [{ run, last, project: readCopyMark(root, run)?.project }];
  });
  journals.close();
  const copies = all.filter(({ project }) => project !== undefined);
  const versionThere = (run: string) => there?.heads.get(run)?.version ?? 0;
  const isRemoved = ({ run, last }: (typeof copies)[number]) =>
    versionThere(run) === 0 && last.version <= (there?.removals.get(run)?.version ?? 0);
  const named = (isMeant: (copy: (typeof copies)[number]) => boolean) =>
    copies.flatMap((copy) => (copy.project === there?.project && isMeant(copy) ? [copy.run] : []));
  return {
    here: copies.length,
    behind: named(({ run, last }) => last.version < versionThere(run)),
    ahead: named((copy) => copy.last.version > versionThere(copy.run) && !isRemoved(copy)),
    removed: named(isRemoved),
    unshared: all.length - copies.length,
    queuedNotices: copies.reduce((sum, { run }) => sum + createNoticeQueue(root, run).read().length, 0),
  };
}

/** Null for a run that cannot be read, too: whatever is wrong with one of them, the others are counted. */
function lastOf(journals: CopyFiles, run: string): Head | null {
  try {
    return journals.last(run);
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

function problemOf({ code, message, next }: HoldfastError) {
  return { code, message, next };
}
