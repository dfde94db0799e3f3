import type { RunEvent } from "../model/event.ts";
import type { Commit, Store } from "../store/store.ts";
import { forgetMilestone, type History, milestonesUpTo } from "./milestones.ts";
import { emptyProjection, type Projection, project } from "./projection.ts";
import { begun, type RunJournal, type Standing } from "./run-journal.ts";
import { keepMilestone, milestoneEvery } from "./snapshot.ts";

/** A run as it was right after one of its events. */
export interface Moment {
  readonly event: RunEvent;
  readonly standing: Standing;
}

/**
 * Those who ask for moments of one run wait for each other: the first one may have to fold a long journal, and leaves
 * milestones that spare the others most of it.
 */
const lastAsked = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * The run as it was right after an event; null if it has no such event. Folds the journal from the last milestone before it,
 * which must be a commit of this very journal: its hash stands for everything before it.
 */
export async function standingAt(history: History, runId: string, event: number): Promise<Moment | null> {
  const ofStore = lastAsked.get(history.store) ?? new Map<string, Promise<unknown>>();
  lastAsked.set(history.store, ofStore);
  const find = () => findStanding(history, runId, event);
  const own = (ofStore.get(runId) ?? Promise.resolve()).then(find, find);
  ofStore.set(runId, own);
  try {
    return await own;
  } finally {
    if (ofStore.get(runId) === own) ofStore.delete(runId);
  }
}

async function findStanding(history: History, runId: string, event: number): Promise<Moment | null> {
  for await (const start of milestonesUpTo(history, runId, event)) {
    const found = await foldFrom(history, runId, event, start);
    if (found !== "astray") return found;
    if (start.run.status !== "absent") forgetMilestone(history.files, runId, start.run.seq);
  }
  const found = await foldFrom(history, runId, event, emptyProjection);
  return found === "astray" ? null : found;
}

/** "astray" if the journal does not have the commit that `start` ends with. */
async function foldFrom(
  { store, files, every = milestoneEvery }: History,
  runId: string,
  event: number,
  start: Projection,
): Promise<Moment | null | "astray"> {
  let projection = start;
  let isFound = start.version === 0;
  const from = isFound ? undefined : { version: start.version, place: start.place };
  for await (const commit of store.read(runId, from)) {
    const isStart = commit.version === start.version;
    if (isStart && commit.id !== start.head) return "astray";
    isFound = true;
    const upTo = partUpTo(commit, event);
    if (upTo !== null) return momentAfter(isStart ? start : project(projection, upTo), upTo);
    if (isStart) continue;
    projection = project(projection, commit);
    keepMilestone(files, runId, projection, every);
  }
  return isFound ? null : "astray";
}

/** The commit with its events up to this one; null if it does not have it. */
function partUpTo(commit: Commit, event: number): Commit | null {
  const index = commit.events.findIndex(({ seq }) => seq === event);
  return index === -1 ? null : { ...commit, events: commit.events.slice(0, index + 1) };
}

function momentAfter(projection: Projection, { events }: Commit): Moment | null {
  const standing = begun(projection);
  const event = events.at(-1);
  return standing === null || event === undefined ? null : { event, standing };
}

/** The journal as it was at a moment: what came later cannot be read from it. */
export function journalAt(journal: RunJournal, { event: { seq: last }, standing }: Moment): RunJournal {
  const upToThen = (commit: Commit) => ({ ...commit, events: commit.events.filter(({ seq }) => seq <= last) });
  return {
    ...journal,
    load: async (runId) => (runId === standing.run.runId ? standing : null),
    append() {
      throw new Error("the past does not change");
    },
    async find(runId, ref) {
      const commit = await journal.find(runId, ref);
      return commit === null ? null : upToThen(commit);
    },
    async *read(runId, from) {
      for await (const commit of journal.read(runId, from)) {
        const { events } = upToThen(commit);
        if (events.length === 0) return;
        yield { ...commit, events };
      }
    },
  };
}
