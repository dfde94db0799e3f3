import { dirname } from "node:path";
import { type HoldfastError, isHoldfastError } from "../../errors.ts";
import { projectionOf } from "../../journal/listed-run.ts";
import type { Attach } from "../../journal/run-journal.ts";
import { nameMachine } from "../../platform/runner.ts";
import { machineName } from "../../project/machine.ts";
import type { SharedProject } from "../../project/settings.ts";
import { ignoreState } from "../../project/state-folder.ts";
import { type CopiedStore, createCopiedStore } from "../../store/copied-store.ts";
import { createFileStore } from "../../store/file-store.ts";
import { createLeases, type Leases } from "../../store/leases.ts";
import { createPostgresStore } from "../../store/postgres/postgres-store.ts";
import { noteUnreachable } from "../../store/reach.ts";
import type { SharedLeases, Store } from "../../store/store.ts";
import { templateFile } from "../../templates/hash.ts";
import { type Here, placeOf } from "./place.ts";

/** The runs of a project that keeps them in a shared store. */
export interface Team {
  readonly store: Store;
  /** The shared store, or why it is not used. */
  readonly shared: CopiedStore | HoldfastError;
  readonly leases: Leases;
  readonly attach: Attach;
}

export interface TeamPlace extends Here {
  /** The folder with the copies of runs. */
  readonly runs: string;
  /** Returns a new unique name for a machine. */
  machineName(): string;
}

/** Opens the shared store once. As long as it may not be opened, every call looks again whether it may. */
export function createTeamOpener(place: TeamPlace): (shared: SharedProject) => Promise<Team> {
  let open: { readonly project: SharedProject; readonly team: Team } | null = null;
  return async (shared) => {
    const known = open?.team;
    if (known !== undefined && isSame(open?.project, shared)) return known;
    try {
      const team = await openTeam(place, shared);
      open = { project: shared, team };
      return team;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return closedTeam(place, error);
    }
  };
}

function isSame(one: SharedProject | undefined, other: SharedProject): boolean {
  return typeof one === "object" && typeof other === "object" && one.project === other.project;
}

async function openTeam(place: TeamPlace, project: SharedProject): Promise<Team> {
  const { url, project: name } = await placeOf(place, project);
  const shared = createPostgresStore({ url, project: name });
  keepOutOfGit(place);
  const machine = await machineName(place);
  nameMachine(machine);
  const store = createCopiedStore(shared, { root: place.runs, templateFile });
  const attach: Attach = async (after) => ({ projection: projectionOf(after, place.user.name) });
  return { store, shared: store, leases: sharedLeases(shared.leases, machine), attach };
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
function closedTeam({ runs }: TeamPlace, problem: HoldfastError): Team {
  // Hooks say so, too.
  noteUnreachable(dirname(runs), new Date().toISOString());
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
  return { store, shared: problem, leases: createLeases(runs), attach: async () => ({}) };
}
