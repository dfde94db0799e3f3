import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { projectionOf } from "../../journal/listed-run.ts";
import { emptyProjection, project } from "../../journal/projection.ts";
import { personIn } from "../../model/command.ts";
import type { Deps } from "../../operation/operation.ts";
import { readTextIfExists, replaceFile } from "../../platform/files.ts";
import { stateFolder } from "../../platform/links.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { Head, RunProjection, SharedStore } from "../../store/store.ts";

/** After so many commits one list describes no further run. */
const mostCommits = 1_000;
/** What a run counts at least: it is asked for, even if it cannot be read. */
const leastCommits = 20;
const mostRuns = mostCommits / leastCommits;

/**
 * A program that knows no workflows may have appended, and then the row of a run is older than the run. Each list describes a
 * few such runs, and the next list here goes on behind them: runs that cannot be read must not keep others waiting.
 */
export async function describeOutdated({ roots }: Deps, shared: SharedStore): Promise<void> {
  const file = join(roots.stateRoot, stateFolder, "cache", "outdated-runs");
  const after = readPlace(file);
  const outdated = await nextOutdated(shared, after);
  let left = mostCommits;
  let last = "";
  for (const { run, ...head } of outdated) {
    if (left <= 0) break;
    last = run;
    const { projection, read } = await describe(shared, run);
    left -= Math.max(leastCommits, read);
    if (projection !== null && !(await isAllowed(shared.saveProjection(run, head, projection)))) break;
  }
  const isAll = outdated.length < mostRuns && last === (outdated.at(-1)?.run ?? "");
  writePlace(file, after, isAll ? "" : last);
}

/** Those behind a run, and then from the beginning. */
async function nextOutdated(shared: SharedStore, after: string): Promise<readonly (Head & { readonly run: string })[]> {
  const behind = await shared.listOutdated(mostRuns, after);
  if (after === "" || behind.length === mostRuns) return behind;
  const first = await shared.listOutdated(mostRuns - behind.length);
  return [...behind, ...first.filter(({ run }) => run <= after)];
}

/** The row of a run, null for one that cannot be read, and how many commits were read. */
async function describe(shared: SharedStore, run: string): Promise<{ projection: RunProjection | null; read: number }> {
  let folded = emptyProjection;
  let who = "";
  let read = 0;
  try {
    for await (const commit of shared.read(run)) {
      folded = project(folded, commit);
      who = personIn(commit.events);
      read++;
    }
  } catch (error) {
    // Whoever asks for this run is told.
    if (isHoldfastError(error, "journal-corrupt") || isHoldfastError(error, "format-newer"))
      return { projection: null, read };
    throw error;
  }
  return { projection: folded.run.status === "absent" ? null : projectionOf(folded.run, who), read };
}

/** False if the user may read and not write: others will describe the run. */
async function isAllowed(saving: Promise<unknown>): Promise<boolean> {
  try {
    await saving;
    return true;
  } catch (error) {
    if (isHoldfastError(error, "store-refused")) return false;
    throw error;
  }
}

/** The run behind which the last list has stopped; empty for the beginning. */
function readPlace(file: string): string {
  try {
    return readTextIfExists(file, sizeLimits.name) ?? "";
  } catch (error) {
    if (isHoldfastError(error)) return "";
    throw error;
  }
}

/** Where it cannot be written, every list begins at the beginning. */
function writePlace(file: string, former: string, place: string): void {
  try {
    if (place !== former) replaceFile(file, place, "quick");
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}
