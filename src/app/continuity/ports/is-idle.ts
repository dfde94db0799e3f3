import { existsSync, lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { endedBeginning, snapshotName } from "../../../journal/snapshot.ts";
import { isRemembered, remember } from "../../../journal/stored-runs.ts";
import { isRunId } from "../../../model/run-id.ts";
import { beginsWith, foldersIn, readInPlace, readTail } from "../../../platform/files.ts";
import { shortSha256 } from "../../../platform/short-sha256.ts";
import { sizeLimits } from "../../../platform/size-limits.ts";

// Every hook loads this file and what it imports. It therefore finds projects in fewer words than `findRoots`: it looks
// at every folder that could be one.

/**
 * Whether an event in a folder has nothing to do, so that the code that handles events need not be loaded. In doubt it
 * has: a wrong yes would lose a handoff, a wrong no only costs time.
 */
export function isIdle(event: string, folder: string, session: string): boolean {
  try {
    const projects = foldersAround(realpathSync(folder));
    const states = projects.map((project) => join(project, ".holdfast")).filter((state) => existsSync(state));
    if (states.length > 0) return turnEvents.includes(event) && states.every((state) => isQuiet(state, session));
    return !(restoringEvents.includes(event) && projects.some(hasTexts));
  } catch {
    // Whatever is wrong is reported by the code that handles events.
    return false;
  }
}

/** These only matter to a session with a live run, or with a loss of context that may not be repaired yet. */
const turnEvents = ["UserPromptSubmit", "PostToolUse", "Stop"];
/** These tell of a workflow that exists only as text, even where nothing is set up. */
const restoringEvents = ["SessionStart", "PreCompact"];
/** Where the default settings look for such a workflow; others need a state folder. */
const texts = ["untracked/workflow-state", "CLAUDE.local.md", "CLAUDE/Plan"];

function hasTexts(project: string): boolean {
  return texts.some((text) => existsSync(join(project, text)));
}

/** The folder and all above it; in a linked worktree also their counterparts in the main one. */
function foldersAround(start: string): string[] {
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    const git = join(folder, ".git");
    if (lstatSync(git, { throwIfNoEntry: false })?.isFile()) {
      const main = /^gitdir: (.+)[\\/]\.git[\\/]worktrees[\\/]/.exec(
        readInPlace(git, sizeLimits.gitName).toString("utf8"),
      )?.[1];
      if (main === undefined) throw new Error("only the other code knows what kind of worktree this is");
      // git can be told to keep the way to it relative.
      folders.push(...folders.map((inside) => resolve(folder, main, relative(folder, inside))));
    }
    if (dirname(folder) === folder) return folders;
  }
}

function isQuiet(state: string, session: string): boolean {
  const [there, runs, ...others] = ["", "runs", "cache", "sessions"].map((name) =>
    lstatSync(join(state, name), { throwIfNoEntry: false }),
  );
  // A link is refused and reported elsewhere.
  if ([there, runs, ...others].some((entry) => entry?.isDirectory() === false)) return false;
  return (runs === undefined || haveAllEnded(state, runs)) && !mayHaveLoss(join(state, "sessions"), session);
}

/** With more ended runs than these, that they have all ended is remembered. */
const few = 30;

/**
 * Whether no run is live. The stamp of the folder of runs was taken before. A run comes and goes as an entry of that
 * folder, and a snapshot that says that its run has ended goes by a move into it: as long as the folder has not
 * changed, all runs that had ended still have.
 */
function haveAllEnded(state: string, stamp: Stats): boolean {
  if (isRemembered(state, stamp)) return true;
  const runs = join(state, "runs");
  const names = foldersIn(runs).filter(isRunId);
  if (!names.every((name) => beginsWith(join(runs, name, snapshotName), endedBeginning))) return false;
  if (names.length > few) remember(state, stamp);
  return true;
}

/** The lines about the last loss are at the end of a session's log. */
const tailLength = 16 * 1024;

/** Whether a handoff was sent to the session, or has to be after a compaction. */
function mayHaveLoss(sessions: string, session: string): boolean {
  const log = join(sessions, `${shortSha256(session).slice(0, 32)}.jsonl`);
  return existsSync(log) && /"type":"handed"|"restorable":true/.test(readTail(log, tailLength));
}
