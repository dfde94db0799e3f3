import { HoldfastError } from "../../errors.ts";
import { createCheckedJournal } from "../../journal/checked-journal.ts";
import { forgetEnd } from "../../journal/snapshot.ts";
import { isRunId } from "../../model/run-id.ts";
import { isLive } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { replaceFile } from "../../platform/files.ts";
import { refuseLinkedRun } from "../../platform/links.ts";
import { prepareStateFolder } from "../../project/state-folder.ts";
import { markCopy, readCopyMark, unmarkCopy } from "../../store/copy-mark.ts";
import { createFileStore } from "../../store/file-store.ts";
import { contradiction, differs, rewound } from "../../store/head-differences.ts";
import { copyJournal, plainJournal } from "../../store/journal-copy.ts";
import { isCopy, journalPath } from "../../store/journal-file.ts";
import { type CopiedCommit, readAll, type SharedStore } from "../../store/store.ts";
import { deliverQueued } from "../continuity/ports/deliver-notices.ts";
import { foldRun, type MoveRun, runsFolder, templatesByFile } from "./run-copy.ts";

/**
 * Writes a run as it is in the shared store to an ordinary journal. It may be interrupted anywhere and repeated: until
 * everything is on the disk the journal stays marked as a copy, and only then the run is removed there, if it should be.
 */
export function moveToFiles(deps: Deps, shared: SharedStore, remove: boolean): MoveRun {
  return async (runId) => {
    if (!isRunId(runId)) throw new HoldfastError("store-refused", { ...noId, where: shared.where });
    refuseLinkedRun(deps.roots.stateRoot, runId);
    for (let before = ""; ; ) {
      const lines = await readAll(shared.readLines(runId));
      const last = lines.at(-1)?.id ?? "";
      const result = await attempt(deps, shared, runId, { lines, remove });
      if (result !== "again") return result;
      if (last === before) throw contradiction(shared.where, runId);
      before = last;
    }
  };
}

const noId = {
  problem: "it has a run whose name is no id of a run",
  fix: "restore the row of the table runs that has this name, or delete it",
  isAsked: true,
  isOfOneRun: true,
} as const;

interface There {
  readonly lines: readonly CopiedCommit[];
  readonly remove: boolean;
}

/** "again" if the run is not at its last line any more: somebody has appended meanwhile. */
async function attempt(deps: Deps, shared: SharedStore, runId: string, { lines, remove }: There) {
  const root = runsFolder(deps);
  const last = lines.at(-1);
  if (last === undefined) return finishRemoved(deps, shared, runId);
  const side = sideHere(root, runId, lines);
  const heads = () => ({ here: copyJournal(root, runId)?.commits.at(-1), there: last });
  // The journal here has all of it already, and is nobody's copy.
  if (side === "ahead") return !remove ? "same" : (await shared.removeRun(runId, last)) ? "moved" : "again";
  if (side === "differs") throw differs(shared, runId, heads());
  // The database was restored from an old backup. The copy goes on only where it is stored there again.
  if (side === "lost") throw rewound(shared, runId, { ...heads(), isBehind: true });
  if (side !== "same") await writeRun(deps, shared, runId, lines);
  if (remove) {
    markCopy(root, runId, { project: shared.project, leaving: last.id });
    if (!(await shared.removeRun(runId, last))) return "again";
  }
  await release(deps, runId);
  return side === "same" && !remove ? "same" : "moved";
}

/** Those that are in the shared store, and those that an interrupted call has removed there without saying so here. */
export async function runsToFetch(deps: Deps, shared: SharedStore): Promise<readonly string[]> {
  const root = runsFolder(deps);
  const isLeaving = (run: string) => readCopyMark(root, run)?.leaving !== undefined;
  return [...new Set([...(await shared.list()), ...deps.index.names().filter(isLeaving)])];
}

/** What somebody else has removed meanwhile is not ours to keep. */
async function finishRemoved(deps: Deps, shared: SharedStore, runId: string): Promise<"moved" | "nothing"> {
  const root = runsFolder(deps);
  const { project, leaving } = readCopyMark(root, runId) ?? {};
  if (project !== shared.project || leaving === undefined) return "nothing";
  if (copyJournal(root, runId)?.commits.at(-1)?.id !== leaving) return "nothing";
  await release(deps, runId);
  return "moved";
}

/** From here on hooks write the journal themselves, so nobody else would record what they have queued. */
async function release(deps: Deps, runId: string): Promise<void> {
  unmarkCopy(runsFolder(deps), runId);
  const journal = createCheckedJournal(createFileStore(runsFolder(deps)), deps.files);
  const standing = await journal.load(runId);
  if (standing !== null) await deliverQueued({ ...deps, journal }, standing);
}

/**
 * How the journal here relates to what is there: an ordinary journal with all of it or more, one that lacks something, or a
 * copy of what is lost there.
 */
function sideHere(
  root: string,
  runId: string,
  there: readonly CopiedCommit[],
): "same" | "ahead" | "behind" | "lost" | "differs" {
  const here = copyJournal(root, runId)?.commits ?? [];
  const common = Math.min(here.length, there.length);
  if (here.slice(0, common).some(({ id }, index) => there[index]?.id !== id)) return "differs";
  const isCopied = isCopy(root, runId);
  if (here.length > there.length) return isCopied ? "lost" : "ahead";
  return isCopied || here.length < there.length ? "behind" : "same";
}

async function writeRun(deps: Deps, shared: SharedStore, runId: string, lines: readonly CopiedCommit[]): Promise<void> {
  const root = runsFolder(deps);
  prepareStateFolder(deps.roots.stateRoot);
  markCopy(root, runId, { project: shared.project });
  for (const [name, hash] of templatesByFile(lines)) {
    const text = (await shared.readTemplate(hash)) ?? (await deps.files.read(runId, name));
    if (text !== null) deps.files.write(runId, name, text, "flushed");
  }
  const run = foldRun(lines);
  if (run === null) throw new HoldfastError("state-broken", { file: runId, problem: "its journal starts no run" });
  if (isLive(run)) forgetEnd(deps.files, runId);
  replaceFile(journalPath(root, runId), plainJournal(lines));
}
