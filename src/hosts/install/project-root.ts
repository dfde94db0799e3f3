import { existsSync, realpathSync } from "node:fs";
import { findRoots } from "../../platform/roots.ts";

/** Where a project is set up: next to its state folder, or at the root of the current linked worktree. */
export function projectFolder(cwd: string): string {
  const { stateRoot, projectRoot, worktree } = findRoots(cwd);
  return worktree === null ? stateRoot : projectRoot;
}

/** In the home folder, the settings would apply to every project of the user. */
export function isHome(folder: string, home: string): boolean {
  return existsSync(home) && realpathSync(folder) === realpathSync(home);
}
