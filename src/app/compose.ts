import { randomInt } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasCode } from "../platform/files.ts";
import { findRoots, stateFolder } from "../platform/roots.ts";
import { createFileStore } from "../store/file.ts";
import { createRunFiles } from "../store/run-files.ts";
import { createRunJournal } from "./careful-journal.ts";
import type { Caller, Deps } from "./operation.ts";
import { sessionOf } from "./session-of.ts";

/** What whoever starts the program may fix instead of letting it be found. */
export interface Fixed {
  readonly stateRoot?: string | undefined;
  /** A workflow file that may lie anywhere. */
  readonly workflow?: string | undefined;
}

/** The composition root: the only place where a driver is chosen, a clock is read and a die is thrown. */
export function compose(cwd: string, caller: Caller, fixed: Fixed = {}): Deps {
  const found = findRoots(cwd);
  const roots = fixed.stateRoot === undefined ? found : { ...found, stateRoot: realpathSync(fixed.stateRoot) };
  const runs = join(roots.stateRoot, stateFolder, "runs");
  const store = createFileStore(runs);
  const files = createRunFiles(runs);
  const { name, home } = findUser();
  return {
    roots,
    gatekeeper: new Map(),
    givenWorkflow: fixed.workflow,
    store,
    files,
    journal: createRunJournal(store, files),
    builtInFolder: fileURLToPath(new URL("../../workflows/", import.meta.url)),
    user: { name, home, configFolder: configFolder(home) },
    caller: { ...caller, session: sessionOf(caller.session) },
    now: () => new Date().toISOString(),
    suffix: () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(""),
  };
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** In a container the user may have no entry in the system's list. A HOME that is empty or relative would be the project's. */
function findUser(): { readonly name: string; readonly home: string } {
  const listed = ifListed(() => userInfo({ encoding: "utf8" }));
  const homes = [ifListed(homedir), listed?.homedir].filter((home) => home !== undefined && isAbsolute(home));
  return { name: listed?.username || `user ${process.getuid?.() ?? ""}`.trim(), home: homes[0] ?? "/" };
}

function ifListed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, "ERR_SYSTEM_ERROR")) return undefined;
    throw error;
  }
}

/** Never taken from a variable that a project could set. */
function configFolder(home: string): string {
  return process.platform === "win32"
    ? join(home, "AppData", "Roaming", "holdfast")
    : join(home, ".config", "holdfast");
}
