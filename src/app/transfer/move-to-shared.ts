import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { projectionOf } from "../../journal/listed-run.ts";
import { personIn } from "../../model/command.ts";
import type { Deps } from "../../operation/operation.ts";
import { refuseLinkedRun } from "../../platform/links.ts";
import { markCopy, readCopyMark } from "../../store/copy-mark.ts";
import { contradiction, differs } from "../../store/head-differences.ts";
import { copyJournal } from "../../store/journal-copy.ts";
import { refuseRemoved } from "../../store/removed-copies.ts";
import type { CopiedCommit, Head, SharedStore, StoredTemplate } from "../../store/store.ts";
import { parseFrozen } from "../workflows/parse-frozen.ts";
import { linesThere } from "./lines-there.ts";
import { foldRun, type MoveRun, runsFolder, templatesByFile } from "./run-copy.ts";

/**
 * Stores what the shared store lacks of a run, and makes the journal here a copy. It may be interrupted anywhere and
 * repeated: the lines are stored all or none, and from the mark on nobody appends to the file.
 */
export function moveToShared(deps: Deps, shared: SharedStore): MoveRun {
  const root = runsFolder(deps);
  const linesOf = (runId: string) => copyJournal(root, runId)?.commits ?? [];
  return async (runId) => {
    refuseLinkedRun(deps.roots.stateRoot, runId);
    const project = readCopyMark(root, runId)?.project;
    if (project !== undefined && project !== shared.project) {
      throw new HoldfastError("run-not-shared", { run: runId, project: shared.project, of: project });
    }
    let lines = linesOf(runId);
    if (lines.length === 0) return "nothing";
    // A copy does not bring back what somebody has removed for everyone.
    if (project !== undefined) await refuseRemoved(shared, runId, lines.length);
    const wasMoved = await storeLines(deps, shared, runId, lines);
    // A copy of a colleague's run, which somebody has only looked at, stays one.
    const wasFile = project === undefined;
    markCopy(root, runId, { project: shared.project, isHere: wasFile, isOwn: wasFile });
    // Somebody may have appended to the file before the mark was there.
    for (let now = linesOf(runId); now.length > lines.length; now = linesOf(runId)) {
      await storeLines(deps, shared, runId, now);
      lines = now;
    }
    return wasMoved || wasFile ? "moved" : "same";
  };
}

/** False if all of it was there. Another process may be storing the same lines. */
async function storeLines(...what: Parameters<typeof tryToStore>): Promise<boolean> {
  for (;;) {
    try {
      return await tryToStore(...what);
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
    }
  }
}

async function tryToStore(
  deps: Deps,
  shared: SharedStore,
  runId: string,
  lines: readonly CopiedCommit[],
): Promise<boolean> {
  const there = (await shared.heads([runId])).get(runId) ?? null;
  const from = there?.version ?? 0;
  const last = lines.at(-1);
  if (there !== null && from > lines.length) {
    if (await contains(shared, runId, last)) return false;
    throw differs(shared, runId, { here: last, there });
  }
  if (there !== null && lines[from - 1]?.id !== there.id) throw differs(shared, runId, { here: last, there });
  const isWhole = await isWholeThere(shared, runId, lines, there);
  if (isWhole && from === lines.length) return false;
  const run = foldRun(lines);
  if (run === null) throw new HoldfastError("state-broken", { file: runId, problem: "its journal starts no run" });
  const templates = await templatesOf(deps, runId, lines);
  const attached = { projection: projectionOf(run, personIn(last?.events ?? [])), templates };
  if (isWhole) await shared.importLines(runId, there, lines.slice(from), attached);
  else await shared.replaceRun(runId, there, lines, attached);
  return true;
}

/** Whether the lines there are those up to the last commit. If they are not, but all are here, they can be replaced. */
async function isWholeThere(
  shared: SharedStore,
  runId: string,
  lines: readonly CopiedCommit[],
  there: Head | null,
): Promise<boolean> {
  const found = await linesThere(shared, runId, lines, there?.version ?? 0);
  if (found !== "foreign") return found === "whole";
  const now = (await shared.heads([runId])).get(runId);
  // Somebody has appended meanwhile.
  if (now?.id !== there?.id) throw new HoldfastError("version-conflict", { run: runId, expected: lines.length });
  throw contradiction(shared.where, runId);
}

/** Whether the run there has this commit. */
async function contains(shared: SharedStore, runId: string, last: Head | undefined): Promise<boolean> {
  for await (const { id } of shared.readLines(runId, last?.version)) return id === last?.id;
  return false;
}

/** A template is stored once for all runs of the project: nobody may bring another one under its hash. */
async function templatesOf({ files }: Deps, runId: string, lines: readonly CopiedCommit[]) {
  const found: StoredTemplate[] = [];
  for (const [name, hash] of templatesByFile(lines)) {
    const text = await files.read(runId, name);
    if (text === null) continue;
    const file = `${runId}/${name}`;
    const frozen = parseFrozen(file, text, hash);
    if (typeof frozen === "string") throw new HoldfastError("state-broken", { file, problem: frozen });
    found.push({ hash, text });
  }
  return found;
}
