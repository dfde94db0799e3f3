import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readTextIfExists } from "./files.ts";
import { commonFolder, readGitEntry, unlikeFile } from "./git-folder.ts";
import { stateFolder } from "./links.ts";
import { sizeLimits } from "./size-limits.ts";

/** Where a project keeps its runs, and where the work happens. Found in the file system, without starting git. */
export interface Roots {
  /** The folder that contains `.holdfast/`. */
  readonly stateRoot: string;
  /** The top of the current worktree; without git, the state root. */
  readonly projectRoot: string;
  /** The git name of the current linked worktree; null in the main one. */
  readonly worktree: string | null;
}

export function findRoots(cwd: string): Roots {
  const here = realpathSync(cwd);
  const git = findGit(here);
  if (git === null) {
    const stateRoot = nearestState(here, null) ?? here;
    return { stateRoot, projectRoot: stateRoot, worktree: null };
  }
  const stateRoot = stateRootIn(git, nearestState(here, git.top));
  return { stateRoot, projectRoot: git.top, worktree: git.worktree };
}

/** The top of a worktree by its git name; null if it is gone. */
export function worktreeTop(projectRoot: string, worktree: string | null): string | null {
  const git = findGit(projectRoot);
  if (git === null) return worktree === null ? projectRoot : null;
  if (worktree === git.worktree) return git.top;
  if (worktree === null) return git.mainTop;
  const folder = join(git.common, "worktrees", basename(worktree));
  const link = readTextIfExists(join(folder, "gitdir"), sizeLimits.gitName, ...unlikeFile);
  const gitFile = link === null ? null : resolve(folder, link.trim());
  return gitFile !== null && existsSync(gitFile) ? realpathSync(dirname(gitFile)) : null;
}

/** A linked worktree also has the committed part of `.holdfast/`; it is a state root only if it contains runs. */
function stateRootIn({ top, worktree, mainTop }: Git, near: string | null): string {
  if (near === null) return mainTop ?? top;
  if (worktree === null || mainTop === null || existsSync(join(near, stateFolder, "runs"))) return near;
  const inMain = join(mainTop, relative(top, near));
  return near === top || existsSync(join(inMain, stateFolder)) ? inMain : near;
}

interface Git {
  readonly top: string;
  readonly common: string;
  readonly worktree: string | null;
  readonly mainTop: string | null;
}

function findGit(start: string): Git | null {
  for (let top = start; ; top = dirname(top)) {
    const entry = readGitEntry(top);
    if (entry !== null) return entry.folder === null ? null : gitIn(top, entry.folder);
    if (dirname(top) === top) return null;
  }
}

/** The folder is that of a repository (also of a submodule), or of a linked worktree inside the common folder. */
function gitIn(top: string, folder: string): Git {
  const common = commonFolder(folder);
  if (common === null) return { top, common: folder, worktree: null, mainTop: top };
  const bare = basename(common) !== ".git";
  return { top, common, worktree: basename(folder), mainTop: bare ? null : dirname(common) };
}

/** The nearest folder upwards with a state folder, not above `limit`. */
function nearestState(start: string, limit: string | null): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    const state = statSync(join(folder, stateFolder), { throwIfNoEntry: false });
    // Without git the project's top is unknown, so ignore state folders above that belong to another user.
    const ours = limit !== null || folder === start || (state !== undefined && isOurs(state.uid, start));
    if (state?.isDirectory() && ours) return folder;
    if (folder === limit || dirname(folder) === folder) return null;
  }
}

function isOurs(owner: number, start: string): boolean {
  return owner === process.getuid?.() || owner === statSync(start).uid;
}
