import { randomInt } from "node:crypto";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRoots, stateFolder } from "../platform/roots.ts";
import { createFileStore } from "../store/file.ts";
import { createRunFiles } from "../store/run-files.ts";
import type { Caller, Deps } from "./operation.ts";
import { createRunJournal } from "./run-journal.ts";

/** The composition root: the only place where a driver is chosen, a clock is read and a die is thrown. */
export function compose(cwd: string, caller: Caller): Deps {
  const roots = findRoots(cwd);
  const runs = join(roots.stateRoot, stateFolder, "runs");
  const store = createFileStore(runs);
  const files = createRunFiles(runs);
  const home = homedir();
  return {
    roots,
    store,
    files,
    journal: createRunJournal(store, files),
    builtInFolder: fileURLToPath(new URL("../../workflows/", import.meta.url)),
    user: { name: userInfo().username, home, configFolder: configFolder(home) },
    caller,
    now: () => new Date().toISOString(),
    suffix: () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join(""),
  };
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Never taken from a variable that a project could set. */
function configFolder(home: string): string {
  return process.platform === "win32"
    ? join(home, "AppData", "Roaming", "holdfast")
    : join(home, ".config", "holdfast");
}
