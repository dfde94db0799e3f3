import { randomBytes, randomInt } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCheckedJournal } from "../journal/checked-journal.ts";
import { createRunIndex } from "../journal/run-index.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { unreadable } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { findRoots, type Roots } from "../platform/roots.ts";
import { findUser } from "../project/find-user.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";
import { createSessionLogs } from "../sessions/session-log.ts";
import { createFileStore } from "../store/file-store.ts";
import { createLeases } from "../store/leases.ts";
import { createRunFiles } from "../store/run-files.ts";
import { drivenVariable } from "./driving/turn.ts";

/** What the caller may set explicitly instead of having it discovered. */
export interface ComposeOptions {
  readonly stateRoot?: string | undefined;
  /** A workflow file, which may be outside the project. */
  readonly workflow?: string | undefined;
}

/** The composition root of commands and servers: chooses drivers and reads the clock. Hooks have `hook-ports.ts`. */
export function compose(cwd: string, caller: Caller, fixed: ComposeOptions = {}): Deps {
  const roots = findPlaces(cwd, fixed.stateRoot);
  const state = join(roots.stateRoot, stateFolder);
  const runs = join(state, "runs");
  const store = createFileStore(runs);
  const files = createRunFiles(runs);
  return {
    cwd,
    roots,
    pendingAdvances: new Map(),
    refuseLinks: () => refuseLinks(roots.stateRoot),
    givenWorkflow: fixed.workflow,
    store,
    files,
    leases: createLeases(runs),
    journal: createCheckedJournal(store, files),
    index: createRunIndex(state),
    sessions: createSessionLogs(state),
    builtInFolder: fileURLToPath(new URL("../../workflows/", import.meta.url)),
    user: findUser(caller.env),
    caller: { ...caller, session: normalizeSessionId(caller.session), isDriven: Boolean(caller.env[drivenVariable]) },
    now: () => new Date().toISOString(),
    suffix: () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(""),
    machineName: () => `m-${randomBytes(8).toString("hex")}`,
  };
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
