import { randomBytes, randomInt } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { History } from "../journal/milestones.ts";
import { createRunIndex } from "../journal/run-index.ts";
import type { FindTarget, RunJournal } from "../journal/run-journal.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { appendFiles } from "../platform/append-file.ts";
import { unreadable } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { findRoots, type Roots } from "../platform/roots.ts";
import { cloneAt } from "../platform/runner.ts";
import { findSettings, knownSettings } from "../project/compiled-settings.ts";
import { findUser } from "../project/find-user.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";
import { createSessionLogs } from "../sessions/session-log.ts";
import type { ReadEvents } from "../store/journal-line.ts";
import { createJournalStore } from "../store/journal-store.ts";
import { createLeases } from "../store/leases.ts";
import { createRunFiles, type RunFiles } from "../store/run-files.ts";
import type { Commit, ReadFrom, Store } from "../store/store.ts";
import { drivenVariable } from "./driving/turn.ts";
import type { createTeamOpener, TeamPlace, TeamStore } from "./shared/team.ts";

/** What the caller may set explicitly instead of having it discovered. */
export interface ComposeOptions {
  readonly stateRoot?: string | undefined;
  /** A workflow file, which may be outside the project. */
  readonly workflow?: string | undefined;
}

/** How strictly is read what was stored. */
export interface Readers {
  readonly events: ReadEvents;
  journal(store: Store, files: RunFiles, findTarget?: FindTarget): RunJournal;
  history(store: Store, files: RunFiles): History;
}

/** The composition root of commands and servers: chooses drivers and reads the clock. Hooks have `hook-ports.ts`. */
export function composeDeps(readers: Readers, cwd: string, caller: Caller, fixed: ComposeOptions = {}): Deps {
  const roots = findPlaces(cwd, fixed.stateRoot);
  const state = join(roots.stateRoot, stateFolder);
  const runs = join(state, "runs");
  const user = findUser(caller.env);
  const files = createRunFiles(runs);
  const chosen = chooseStore({ roots, user, caller, runs, machineName: newMachineName }, readers.events);
  const deps: Deps = {
    cwd,
    roots,
    deliverNotices: async (standing) => {
      // The run was loaded before, and that opens the shared store if there is one.
      if (!chosen.hasTriedShared() || (await chosen.shared()) === null) return standing;
      return (await import("./continuity/ports/deliver-notices.ts")).deliverQueued(deps, standing);
    },
    pendingAdvances: new Map(),
    refuseLinks: () => refuseLinks(roots.stateRoot),
    givenWorkflow: fixed.workflow,
    store: chosen.store,
    shared: chosen.shared,
    away: chosen.away,
    settingsProblem: () => knownSettings(roots.stateRoot)?.problem ?? null,
    clone: chosen.clone,
    files,
    leases: chosen.leases,
    journal: readers.journal(chosen.store, files, chosen.findTarget),
    history: readers.history(chosen.store, files),
    copies: readers.journal(createJournalStore(runs, readers.events, appendFiles), files),
    index: createRunIndex(state),
    sessions: createSessionLogs(state),
    builtInFolder: fileURLToPath(new URL("../../workflows/", import.meta.url)),
    user,
    caller: { ...caller, session: normalizeSessionId(caller.session), isDriven: Boolean(caller.env[drivenVariable]) },
    now: () => new Date().toISOString(),
    suffix: () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(""),
    machineName: newMachineName,
  };
  return deps;
}

function newMachineName(): string {
  return `m-${randomBytes(8).toString("hex")}`;
}

/**
 * The store that the project's settings name at the time of a call: a server goes on when they change. With files none of the
 * code for shared stores is loaded.
 */
function chooseStore(
  place: TeamPlace,
  readEvents: ReadEvents,
): Pick<Deps, "store" | "shared" | "away" | "clone" | "leases"> & {
  readonly findTarget: FindTarget;
  /** Whether a shared store was opened, or was to be opened. */
  hasTriedShared(): boolean;
} {
  const { stateRoot } = place.roots;
  const files: Chosen = {
    store: createJournalStore(place.runs, readEvents, appendFiles),
    shared: null,
    leases: createLeases(place.runs),
  };
  let opener: ReturnType<typeof createTeamOpener> | null = null;
  const isLocal = () => knownSettings(stateRoot)?.settings.shared === null;
  const choose = sharing(async (): Promise<Chosen> => {
    const { shared } = (await findSettings(stateRoot)).settings;
    if (shared === null) return files;
    if (opener === null) {
      const { createTeamOpener } = await import("./shared/team.ts");
      opener = createTeamOpener(place);
    }
    return opener.open(shared);
  });
  return {
    store: {
      append: async (...given) => (await choose()).store.append(...given),
      read: (run, from) => (isLocal() ? files.store.read(run, from) : readLater(choose, run, from)),
      isStillAt: async (run, last) => (await choose()).store.isStillAt(run, last),
      list: async () => (await choose()).store.list(),
      close: async () => {
        await files.store.close();
        await opener?.close();
      },
    },
    hasTriedShared: () => opener !== null,
    clone: () => (opener === null ? undefined : cloneAt(stateRoot)),
    away: () => (opener === null || isLocal() ? null : opener.away()),
    shared: async () => (await choose()).shared,
    leases: {
      isShared: () => !isLocal(),
      read: async (run, claims) => (await choose()).leases.read(run, claims),
      renew: async (run, claim, lease) => (await choose()).leases.renew(run, claim, lease),
      endAllBut: async (run, held, known) => (await choose()).leases.endAllBut(run, held, known),
    },
    findTarget: choose,
  };
}

/** Calls that come while one is under way get its answer: advances of many runs at once look at the settings together. */
function sharing<T>(find: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= find().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

type Chosen = Pick<TeamStore, "store" | "leases" | "attach"> & { readonly shared: TeamStore["shared"] | null };

async function* readLater(
  choose: () => Promise<Chosen>,
  run: string,
  from: ReadFrom | undefined,
): AsyncIterable<Commit> {
  yield* (await choose()).store.read(run, from);
}

function findPlaces(cwd: string, stateRoot: string | undefined): Roots {
  try {
    const found = findRoots(cwd);
    return stateRoot === undefined ? found : { ...found, stateRoot: realpathSync(stateRoot) };
  } catch (cause) {
    throw unreadable(stateRoot ?? cwd, cause);
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
