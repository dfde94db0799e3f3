import { join } from "node:path";
import type { HoldfastError } from "../../errors.ts";
import { glanceIn } from "../../journal/listed-run.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import type { Deps } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { isAway } from "../../store/link.ts";
import { readReach } from "../../store/reach.ts";
import type { ListedRun } from "../../store/store.ts";
import { workedOnHere } from "../runs/choose-run.ts";
import { describeOutdated } from "./describe-outdated.ts";

/** How a list of shared runs came about. */
export interface SharedList {
  /** How many more there are; `moreThan` if they were not counted to the end. */
  readonly more: number;
  readonly moreThan?: true;
  /** Set if the shared store could not be asked, and these are the copies here: when it last answered, and why not now. */
  readonly asOf?: string | null;
  readonly problem?: string;
  readonly next?: string;
}

interface Listing {
  readonly live: boolean | undefined;
  readonly limit: number;
}

type SharedRow = Glance & { readonly here: boolean };

/** The newest runs of a shared project. Without rows if only the copies here can be listed; null if runs are in files. */
export async function listShared(
  deps: Deps,
  { live, limit }: Listing,
): Promise<SharedList | (SharedList & { readonly rows: readonly SharedRow[] }) | null> {
  const copied = await deps.shared();
  if (copied === null) return null;
  if (copied instanceof Error) return { more: 0, ...lastReached(deps, copied) };
  const { shared } = copied;
  const status = live === true ? liveStatuses : undefined;
  try {
    await describeOutdated(deps, shared);
    const listed = await shared.listRuns({ limit, ...(status && { status }) });
    const all = await shared.countRuns({ most: limit + mostCounted, ...(status && { status }) });
    const glances = await Promise.all(listed.map((each) => glanceIn(each) ?? unlisted(each)));
    const here = new Set((await workedOnHere(deps, withCopies(deps, glances))).map(({ runId }) => runId));
    const rows = glances.map((glance) => ({ ...glance, here: here.has(glance.runId) }));
    const more = Math.max(0, all - listed.length);
    return { rows, more, ...(all === limit + mostCounted && { moreThan: true as const }) };
  } catch (error) {
    if (!isAway(error)) throw error;
    return { more: 0, ...lastReached(deps, error) };
  }
}

function withCopies({ index }: Deps, glances: readonly Glance[]): readonly Glance[] {
  const names = new Set(index.names());
  return glances.filter(({ runId }) => names.has(runId));
}

/** As in `isLive`. */
const liveStatuses = ["running", "waiting", "review", "paused"];

/** Counting all of many would take longer than anybody wants to wait for a number. */
const mostCounted = 1_000;

export function lastReached({ roots }: Deps, problem: HoldfastError) {
  return { asOf: readReach(join(roots.stateRoot, stateFolder)).reached, problem: problem.message, next: problem.next };
}

/** A run of which nothing but its id is known. */
function unlisted({ run }: ListedRun): Glance {
  const nothing = {
    step: "",
    summary: null,
    worktree: null,
    startedAt: "",
    updatedAt: "",
    endedAt: null,
    sessions: [],
  };
  return { runId: run, workflow: "", status: "running", ...nothing };
}
