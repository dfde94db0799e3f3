import { dirname, join } from "node:path";
import { type HoldfastError, isHoldfastError } from "../../errors.ts";
import { projectionOf } from "../../journal/listed-run.ts";
import type { AppendTarget } from "../../journal/run-journal.ts";
import { sha256Hex } from "../../platform/files.ts";
import { nameClone, nameMachine } from "../../platform/runner.ts";
import { isUnchanged, type Stamp, stampOf } from "../../platform/stamp.ts";
import { machineName } from "../../project/machine.ts";
import type { SharedProject } from "../../project/settings.ts";
import { ignoreState } from "../../project/state-folder.ts";
import { type CopiedStore, createCopiedStore } from "../../store/copied-store.ts";
import { createFileStore } from "../../store/file-store.ts";
import { createLeases, type Leases } from "../../store/leases.ts";
import type { Away } from "../../store/link.ts";
import { createPostgresStore } from "../../store/postgres/postgres-store.ts";
import { noteAway, readReach } from "../../store/reach.ts";
import type { SharedLeases, Store } from "../../store/store.ts";
import { templateFile } from "../../templates/hash.ts";
import { confirmedName } from "./confirmed-projects.ts";
import { type DatabaseProject, type Here, placeOf } from "./place.ts";

/** The runs of a project that keeps them in a shared store. */
export interface TeamStore extends AppendTarget {
  readonly store: Store;
  /** The shared store, or why it is not used. */
  readonly shared: CopiedStore | HoldfastError;
  readonly leases: Leases;
}

export interface TeamPlace extends Here {
  /** The folder with the copies of runs. */
  readonly runs: string;
  /** Returns a new unique name for a machine. */
  machineName(): string;
}

export interface TeamOpener {
  open(shared: SharedProject): Promise<TeamStore>;
  /** Why the store that was opened last could not be used, if it has not answered since. */
  away(): Away | null;
  /** Closes whatever is open. */
  close(): Promise<void>;
}

/**
 * Opens the shared store once, and another one when the user's own settings name another. As long as it may not be opened,
 * every call looks again whether it may.
 */
export function createTeamOpener(place: TeamPlace): TeamOpener {
  let current: OpenTeam | null = null;
  let refused: HoldfastError | null = null;
  const former = new Set<CopiedStore>();

  /** Calls under way may go on. */
  function retire(): void {
    if (current === null) return;
    former.add(current.store);
    current.store.retire();
    current = null;
  }

  return {
    async open(project) {
      if (current !== null && isStillMeant(current, project)) return current.team;
      // Before they are read, so that a change meanwhile is noticed next time.
      const settings = decisive.map((name) => stampOf(join(place.user.configFolder, name)));
      try {
        const [found, machine] = [await placeOf(place, project), await machineName(place)];
        if (current === null || !isAt(current, found)) {
          retire();
          current = { ...openTeam(place, found, machine), settings };
        } else current = { ...current, settings };
        refused = null;
        return current.team;
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        retire();
        refused = error;
        return closedTeam(place, error);
      }
    },
    away() {
      if (refused === null) return current?.store.away() ?? null;
      return { problem: refused, asOf: readReach(dirname(place.runs)).reached };
    },
    async close() {
      const all = [...former, ...(current === null ? [] : [current.store])];
      former.clear();
      current = null;
      await Promise.all(all.map((store) => store.close()));
    },
  };
}

/** Files of the user that decide which store is used. They are read again when they have changed. */
const decisive = ["config.yaml", confirmedName];

interface OpenTeam {
  readonly team: TeamStore;
  readonly store: CopiedStore;
  readonly place: DatabaseProject;
  /** Those files when they were last read. */
  readonly settings: readonly Stamp[];
}

function isStillMeant({ place, settings }: OpenTeam, project: SharedProject): boolean {
  const isSame = project !== "unclear" && project.project === place.project;
  return isSame && settings.every((stamp) => stamp.settled && isUnchanged(stamp));
}

function isAt({ place }: OpenTeam, { url, project }: DatabaseProject): boolean {
  return place.url === url && place.project === project;
}

function openTeam(place: TeamPlace, found: DatabaseProject, machine: string): Omit<OpenTeam, "settings"> {
  const { url, project } = found;
  const server = createPostgresStore({ url, project, signal: place.caller.signal });
  keepOutOfGit(place);
  nameMachine(machine);
  // Each clone was confirmed at a time of its own. Its path would do, too, but is nobody else's business.
  nameClone(place.roots.stateRoot, sha256Hex(`${machine} ${found.confirmedAt}`).slice(0, 16));
  const store = createCopiedStore(server, { root: place.runs, templateFile });
  const team: TeamStore = {
    store,
    shared: store,
    leases: sharedLeases(store.shared.leases, machine),
    attach: (after) => ({ projection: projectionOf(after, place.user.name) }),
  };
  return { team, store, place: found };
}

/** Looking at a run is enough to have its copy here. Journals that somebody commits are refused in every clone. */
function keepOutOfGit({ roots }: TeamPlace): void {
  try {
    ignoreState(roots.stateRoot);
  } catch (error) {
    // Where nothing can be written there will be no copies.
    if (!isHoldfastError(error, "file-unwritable")) throw error;
  }
}

function sharedLeases(leases: SharedLeases, machine: string): Leases {
  return {
    isShared: () => true,
    read: (run) => leases.read(run),
    renew: (run, claim, lease) => leases.renew(run, claim, { ...lease, machine }),
    endAllBut: (run, held, known) => leases.endAllBut(run, held, known),
  };
}

/** Without a database that may be used, the copies can be read, and nothing else. */
function closedTeam({ runs }: TeamPlace, problem: HoldfastError): TeamStore {
  // Hooks say so, too.
  noteAway(dirname(runs), new Date().toISOString(), problem);
  const local = createFileStore(runs);
  const store: Store = {
    ...local,
    append: () => Promise.reject(problem),
    async *read(run, from) {
      let isHere = false;
      for await (const commit of local.read(run, from)) {
        isHere = true;
        yield commit;
      }
      if (!isHere && !(await local.list()).includes(run)) throw problem;
    },
  };
  return { store, shared: problem, leases: createLeases(runs) };
}
