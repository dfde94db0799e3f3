import { existsSync, realpathSync } from "node:fs";
import { findRoots } from "../../platform/roots.ts";

/** Where a project is set up: beside its state, or at the top of the linked worktree that we are in. */
export function projectFolder(cwd: string): string {
  const { stateRoot, projectRoot, worktree } = findRoots(cwd);
  return worktree === null ? stateRoot : projectRoot;
}

/** In the home itself the settings would be the user's own, for every project. */
export function isHome(folder: string, home: string): boolean {
  return existsSync(home) && realpathSync(folder) === realpathSync(home);
}
