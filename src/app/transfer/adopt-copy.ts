import { isHoldfastError } from "../../errors.ts";
import { projectionOf } from "../../journal/listed-run.ts";
import { forgetEnd } from "../../journal/snapshot.ts";
import type { EventOf } from "../../model/event.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { afterwards } from "../../operation/afterwards.ts";
import { type Deps, type No, no, type Outcome, refreshCopies, sharedStore, yes } from "../../operation/operation.ts";
import { refuseLinkedRun } from "../../platform/links.ts";
import { machineName } from "../../project/machine.ts";
import { prepareStateFolder } from "../../project/state-folder.ts";
import type { CopiedStore } from "../../store/copied-store.ts";
import { copyJournal, type JournalCopy, plainJournal } from "../../store/journal-copy.ts";
import { writeLine } from "../../store/journal-line.ts";
import { type Replaced, replaceJournal } from "../../store/replace-journal.ts";
import { type CopiedCommit, readAll, type SharedStore } from "../../store/store.ts";
import { endLeases } from "../runs/keep-leases.ts";
import { syncCard } from "../runs/sync-card.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { receivedAfter, relate } from "./compare.ts";
import { claimedTasks, foldRun, headOf, type RunCopy, runsFolder, templatesByFile } from "./run-copy.ts";

/** The result of taking over a run from elsewhere. */
export interface Adopted {
  readonly result: "new" | "updated" | "same" | "ahead";
  /** The file with the local journal that was replaced, if any. */
  readonly kept: string | null;
  /** The tasks that agents worked on, here or there: claims do not count on another machine. Absent if there are none. */
  readonly released?: readonly string[];
}

export interface Adoption {
  /** Where it came from, for the journal. */
  readonly from: string;
  /** Whether to replace a local journal that has diverged. */
  readonly overLocal: boolean;
  /** The options that choose a side, for the refusal. */
  readonly choose: string;
}

/** Takes over a checked run from elsewhere if it continues the local one. A local journal is never lost. */
export async function adoptCopy(deps: Deps, copy: RunCopy, adoption: Adoption): Promise<Outcome<Adopted>> {
  const shared = await sharedStore(deps);
  return shared === null ? adoptLocal(deps, copy, adoption) : adoptShared(deps, shared, copy, adoption);
}

async function adoptLocal(deps: Deps, copy: RunCopy, adoption: Adoption): Promise<Outcome<Adopted>> {
  for (;;) {
    refuseLinkedRun(deps.roots.stateRoot, copy.run.runId);
    const local = copyJournal(runsFolder(deps), copy.run.runId);
    const before = foldRun(local?.commits ?? []);
    const { type, common } = relate(local?.commits ?? [], copy.commits);
    if (before !== null && (type === "same" || type === "ahead")) return yes({ result: type, kept: null });
    if (before !== null && type === "diverged" && !adoption.overLocal) {
      return diverged(copy, adoption, { run: before, commits: local?.commits ?? [] });
    }
    const keepAs = type === "diverged" ? keptJournalName(local) : null;
    const replaced = await replaceLocal(deps, copy, { adoption, local, before, common, keepAs });
    if (replaced !== null) return finish(deps, copy, before, replaced);
  }
}

/** The same where the run is in a shared store: the lines go there, and the copy here follows. */
async function adoptShared(
  deps: Deps,
  { shared }: CopiedStore,
  copy: RunCopy,
  adoption: Adoption,
): Promise<Outcome<Adopted>> {
  const { runId } = copy.run;
  for (;;) {
    refuseLinkedRun(deps.roots.stateRoot, runId);
    // What is replaced there is kept beside the copy here.
    await refreshCopies(deps, [runId]);
    const there = await readAll(shared.readLines(runId));
    const before = foldRun(there);
    const { type, common } = relate(there, copy.commits);
    if (before !== null && (type === "same" || type === "ahead")) return yes({ result: type, kept: null });
    if (before !== null && type === "diverged" && !adoption.overLocal) {
      return diverged(copy, adoption, { run: before, commits: there });
    }
    const receipt = await receiptOf(deps, copy, { adoption, local: { commits: there }, before, common });
    const lines = [...copy.commits, receiptCommit(copy, receipt)];
    if (await storeThere(deps, shared, { copy, there, common, lines })) {
      return finish(deps, copy, before, { kept: type === "diverged" ? keptJournalName({ commits: there }) : null });
    }
  }
}

interface Storing {
  readonly copy: RunCopy;
  readonly there: readonly CopiedCommit[];
  readonly common: number;
  readonly lines: readonly CopiedCommit[];
}

/** False if the run has moved on meanwhile. */
async function storeThere(deps: Deps, shared: SharedStore, { copy, there, common, lines }: Storing): Promise<boolean> {
  const { runId } = copy.run;
  const run = foldRun(lines) ?? copy.run;
  const hashes = [...templatesByFile(lines)];
  const templates = hashes.flatMap(([name, hash]) => {
    const text = copy.templates.get(name);
    return text === undefined ? [] : [{ hash, text }];
  });
  const attached = { projection: projectionOf(run, deps.user.name), templates };
  const last = there.at(-1) ?? null;
  try {
    if (last !== null && common < there.length) await shared.replaceRun(runId, last, lines, attached);
    else await shared.importLines(runId, last, lines.slice(common), attached);
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) return false;
    throw error;
  }
  await afterwards(async () => {
    if (isLive(copy.run)) forgetEnd(deps.files, runId);
    await deps.journal.load(runId);
  });
  return true;
}

function diverged(copy: RunCopy, { from, choose }: Adoption, here: Pick<RunCopy, "run" | "commits">): No {
  const heads = { here: headOf(here), there: headOf(copy) };
  return no({ code: "runs-diverged", run: copy.run.runId, from, ...heads, choose });
}

async function finish(
  deps: Deps,
  { run }: RunCopy,
  before: StartedRun | null,
  { kept }: Replaced,
): Promise<Outcome<Adopted>> {
  const claimed = [...(before === null ? [] : claimedTasks(before)), ...claimedTasks(run)];
  const released = claimed.length > 0 && { released: [...new Set(claimed)] };
  if (before === null) return yes({ result: "new", kept, ...released });
  await afterwards(() => endLeases(deps, before));
  await afterwards(() => refreshCard(deps, before));
  return yes({ result: "updated", kept, ...released });
}

interface Placing {
  readonly adoption: Adoption;
  readonly local: Pick<JournalCopy, "commits"> | null;
  readonly before: StartedRun | null;
  readonly common: number;
}

interface PlacingHere extends Placing {
  readonly local: JournalCopy | null;
  readonly keepAs: string | null;
}

/** Null if the local journal has changed in the meantime. */
async function replaceLocal(deps: Deps, copy: RunCopy, placing: PlacingHere): Promise<Replaced | null> {
  const { local, keepAs } = placing;
  prepareStateFolder(deps.roots.stateRoot);
  await writeTemplates(deps, copy);
  const receipt = await receiptOf(deps, copy, placing);
  const bytes = plainJournal([...copy.commits, receiptCommit(copy, receipt)]);
  if (isLive(copy.run)) forgetEnd(deps.files, copy.run.runId);
  return replaceJournal(runsFolder(deps), copy.run.runId, { copy: local, bytes, keepAs });
}

/** Named after the journal's last commit, so that the same journal is kept only once. */
export function keptJournalName(journal: Pick<JournalCopy, "commits"> | null): string {
  return `journal.kept-${journal?.commits.at(-1)?.id.slice(0, 12) ?? "empty"}.jsonl`;
}

/** A template's name is its hash, so an existing file is the same template. */
async function writeTemplates({ files }: Deps, { run, templates }: RunCopy): Promise<void> {
  for (const [name, text] of templates) {
    if ((await files.read(run.runId, name)) === null) files.write(run.runId, name, text, "flushed");
  }
}

/** A new run is bound to the current worktree; a run that was here before keeps its own. */
async function receiptOf(deps: Deps, { commits }: RunCopy, placing: Placing): Promise<EventOf<"run-received">> {
  const { adoption, local, before, common } = placing;
  const seq = (commits.at(-1)?.events.at(-1)?.seq ?? 0) + 1;
  const after = receivedAfter(local?.commits ?? [], common);
  const worktree = before === null ? deps.roots.worktree : before.worktree;
  const machine = await machineName(deps);
  return { seq, at: deps.now(), type: "run-received", from: adoption.from, machine, worktree, after };
}

function receiptCommit({ commits }: RunCopy, receipt: EventOf<"run-received">): CopiedCommit {
  const prev = commits.at(-1)?.id ?? "";
  const version = commits.length + 1;
  const { bytes, hash } = writeLine({ version, prev, writer: "received", events: [receipt] });
  return { version, id: hash, place: version, events: [receipt], line: bytes.subarray(0, -1) };
}

/** Loads the replaced journal, which renews its snapshot, and updates the run's card. */
async function refreshCard(deps: Deps, before: StartedRun): Promise<void> {
  const standing = await deps.journal.load(before.runId);
  if (standing === null || !(isLive(before) || isLive(standing.run))) return;
  const { template } = await readFrozen(deps, standing.run);
  await syncCard(deps, template, before, standing.run);
}
