import type { EventOf } from "../../model/event.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { machineName } from "../../project/machine.ts";
import { refuseLinkedRun } from "../../project/refuse-links.ts";
import { prepareStateFolder } from "../../project/state-folder.ts";
import { copyJournal, type JournalCopy, plainJournal } from "../../store/journal-copy.ts";
import { writeLine } from "../../store/journal-line.ts";
import { type Replaced, replaceJournal } from "../../store/replace-journal.ts";
import { syncCard } from "../runs/sync-card.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { receivedAfter, relate } from "./compare.ts";
import { foldRun, headOf, type RunCopy, runsFolder } from "./run-copy.ts";

/** How a run that came from elsewhere was taken. */
export interface Adopted {
  readonly result: "new" | "updated" | "same" | "ahead";
  /** Where the journal is kept that had to give way. */
  readonly kept: string | null;
}

export interface Adoption {
  /** Where it came from, as the journal is to say. */
  readonly from: string;
  /** Whether a journal here that has gone on by itself gives way. */
  readonly overLocal: boolean;
  /** How a person says which side counts. */
  readonly choose: string;
}

/** Takes a checked run from elsewhere, where it goes on from what is here. Nothing that is here is ever lost. */
export async function adoptCopy(deps: Deps, copy: RunCopy, adoption: Adoption): Promise<Outcome<Adopted>> {
  for (;;) {
    refuseLinkedRun(deps.roots.stateRoot, copy.run.runId);
    const local = copyJournal(runsFolder(deps), copy.run.runId);
    const before = foldRun(local?.commits ?? []);
    const { type, common } = relate(local?.commits ?? [], copy.commits);
    if (before !== null && (type === "same" || type === "ahead")) return yes({ result: type, kept: null });
    if (before !== null && type === "diverged" && !adoption.overLocal) {
      return diverged(copy, adoption, { run: before, commits: local?.commits ?? [] });
    }
    const keepAs = type === "diverged" ? keptName(local) : null;
    const replaced = await put(deps, copy, { adoption, local, before, common, keepAs });
    if (replaced !== null) return taken(deps, before, replaced);
  }
}

function diverged(copy: RunCopy, { from, choose }: Adoption, here: Pick<RunCopy, "run" | "commits">): No {
  const heads = { here: headOf(here), there: headOf(copy) };
  return no({ code: "runs-diverged", run: copy.run.runId, from, ...heads, choose });
}

async function taken(deps: Deps, before: StartedRun | null, { kept }: Replaced): Promise<Outcome<Adopted>> {
  if (before === null) return yes({ result: "new", kept });
  await follow(deps, before);
  return yes({ result: "updated", kept });
}

interface Placing {
  readonly adoption: Adoption;
  readonly local: JournalCopy | null;
  readonly before: StartedRun | null;
  readonly common: number;
  readonly keepAs: string | null;
}

/** Null when the journal here has moved meanwhile. */
async function put(deps: Deps, copy: RunCopy, placing: Placing): Promise<Replaced | null> {
  const { local, keepAs } = placing;
  prepareStateFolder(deps.roots.stateRoot);
  await writeTemplates(deps, copy);
  const receipt = await receiptOf(deps, copy, placing);
  const bytes = Buffer.concat([plainJournal(copy.commits), receiptLine(copy, receipt)]);
  return replaceJournal(runsFolder(deps), copy.run.runId, { copy: local, bytes, keepAs });
}

/** Named by what it ends with, so that the same one is kept once. */
export function keptName(journal: Pick<JournalCopy, "commits"> | null): string {
  return `journal.kept-${journal?.commits.at(-1)?.id.slice(0, 12) ?? "empty"}.jsonl`;
}

/** A template is named by its content: what is there already is the same. */
async function writeTemplates({ files }: Deps, { run, templates }: RunCopy): Promise<void> {
  for (const [name, text] of templates) {
    if ((await files.read(run.runId, name)) === null) files.write(run.runId, name, text, "flushed");
  }
}

/** A run works where it is received, unless it was here before and has its own worktree. */
async function receiptOf(deps: Deps, { commits }: RunCopy, placing: Placing): Promise<EventOf<"run-received">> {
  const { adoption, local, before, common } = placing;
  const seq = (commits.at(-1)?.events.at(-1)?.seq ?? 0) + 1;
  const after = receivedAfter(local?.commits ?? [], common);
  const worktree = before === null ? deps.roots.worktree : before.worktree;
  const machine = await machineName(deps);
  return { seq, at: deps.now(), type: "run-received", from: adoption.from, machine, worktree, after };
}

function receiptLine({ commits }: RunCopy, receipt: EventOf<"run-received">): Buffer {
  const prev = commits.at(-1)?.id ?? "";
  return writeLine({ version: commits.length + 1, prev, writer: "received", events: [receipt] }).bytes;
}

/** What was known of the journal that was here is put right, and so is the run's card. */
async function follow(deps: Deps, before: StartedRun): Promise<void> {
  const standing = await deps.journal.load(before.runId);
  if (standing === null || !(isLive(before) || isLive(standing.run))) return;
  const { template } = await readFrozen(deps, standing.run);
  await syncCard(deps, template, before, standing.run);
}
