import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode } from "./files.ts";

/** Where a project keeps its runs, and where the work of a run happens. Found by looking, without starting git. */
export interface Roots {
  /** Holds `.holdfast/`. */
  readonly stateRoot: string;
  /** The top of the worktree that we are in; without git the state root. */
  readonly projectRoot: string;
  /** The name git has for the linked worktree that we are in; null in the main one. */
  readonly worktree: string | null;
}

export const stateFolder = ".holdfast";

export function findRoots(cwd: string): Roots {
  const here = realpathSync(cwd);
  const git = findGit(here);
  if (git === null) {
    const stateRoot = nearestState(here, null) ?? here;
    return { stateRoot, projectRoot: stateRoot, worktree: null };
  }
  const near = nearestState(here, git.top);
  const inLinkedTop = near === git.top && git.worktree !== null;
  // A linked worktree checks out the project's committed .holdfast/; only one that holds runs is a state root.
  const own = near !== null && (!inLinkedTop || existsSync(join(near, stateFolder, "runs"))) ? near : null;
  return { stateRoot: own ?? git.mainTop ?? git.top, projectRoot: git.top, worktree: git.worktree };
}

/** The top of a worktree by its name in git; null when it is gone. */
export function worktreeTop(projectRoot: string, worktree: string | null): string | null {
  const git = findGit(projectRoot);
  if (git === null) return worktree === null ? projectRoot : null;
  if (worktree === git.worktree) return git.top;
  if (worktree === null) return git.mainTop;
  const link = readIfThere(join(git.common, "worktrees", basename(worktree), "gitdir"));
  const top = link === null ? null : dirname(resolve(git.common, link.trim()));
  return top !== null && existsSync(top) ? top : null;
}

interface Git {
  readonly top: string;
  readonly common: string;
  readonly worktree: string | null;
  readonly mainTop: string | null;
}

function findGit(start: string): Git | null {
  for (let top = start; ; top = dirname(top)) {
    const entry = statSync(join(top, ".git"), { throwIfNoEntry: false });
    if (entry?.isDirectory()) return { top, common: join(top, ".git"), worktree: null, mainTop: top };
    if (entry?.isFile()) return followGitFile(top);
    if (dirname(top) === top) return null;
  }
}

/** A `.git` file leads to a linked worktree's folder inside the common one, or to a submodule's own repository. */
function followGitFile(top: string): Git | null {
  const target = /^gitdir: (.+)$/m.exec(readIfThere(join(top, ".git")) ?? "")?.[1];
  if (target === undefined) return null;
  const folder = resolve(top, target.trim());
  const commonFile = readIfThere(join(folder, "commondir"));
  if (commonFile === null) return { top, common: folder, worktree: null, mainTop: top };
  const common = resolve(folder, commonFile.trim());
  const bare = basename(common) !== ".git";
  return { top, common, worktree: basename(folder), mainTop: bare ? null : dirname(common) };
}

/** The nearest folder upwards that has state, not above `limit`. */
function nearestState(start: string, limit: string | null): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (statSync(join(folder, stateFolder), { throwIfNoEntry: false })?.isDirectory()) return folder;
    if (folder === limit || limit === null || dirname(folder) === folder) return null;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
    throw error;
  }
}
