import { join } from "node:path";
import * as z from "zod";
import { oneLine } from "../../handoff/data-text.ts";
import { isClaimedElsewhere, runProjectRoot } from "../../journal/outputs.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import type { EventOf } from "../../model/event.ts";
import { ownEntry } from "../../model/json.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { openQuestion } from "../../model/run-state.ts";
import type { ApprovalPlace } from "../../model/visit-rules.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { diffStat } from "../../platform/git.ts";
import { stateFolder } from "../../platform/links.ts";
import type { InboxItem as AnyInboxItem } from "../../serve/contract/contract.ts";
import { type CopyMark, readCopyMark } from "../../store/copy-mark.ts";
import { digestOf, visitEvents } from "../digest/run-digest.ts";
import { visitName } from "../digest/visit-rows.ts";
import { liveRuns, loadLive } from "../runs/choose-run.ts";
import { type PersonWait, waitOfVisit } from "../runs/person-wait.ts";
import { rootOfVisit } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { choicesFor, pausedChoices } from "./choices.ts";
import { evidence, evidenceFor, type LastEvents, lastOf } from "./evidence.ts";
import { waitText } from "./run-card.ts";
import { fetchWaiting } from "./team-runs.ts";

/** Something that waits for a person here. */
type InboxItem = Omit<AnyInboxItem, "project">;

/** A context action is not among them: the person types it in the agent, and there is nothing to decide. */
export const showInbox = defineOperation({
  summary: "What waits for a person in the live runs: approvals, questions, spent budgets, failures and paused runs.",
  input: z.strictObject({}),
  async run(deps): Promise<Outcome<{ readonly items: readonly InboxItem[] }>> {
    await fetchWaiting(deps);
    const items: InboxItem[] = [];
    const changes = createChanges();
    for (const standing of await loadLive(deps, await liveRuns(deps))) {
      if (standing.run.status === "paused") items.push(await pausedItem(deps, standing));
      else for (const visit of standing.run.visits) items.push(...(await visitItem(deps, standing, visit, changes)));
    }
    return yes({ items: items.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0)) });
  },
});

async function pausedItem(deps: Deps, { run }: LiveStanding): Promise<InboxItem> {
  const { pausedAt } = await digestOf(deps, run.runId);
  const reason = run.status === "paused" ? run.reason : null;
  return {
    ...factsOf(run),
    id: `${run.runId} resume`,
    step: run.last?.step ?? "",
    task: null,
    kind: "resume",
    title: "The run is paused",
    text: reason ?? "",
    since: pausedAt ?? run.updatedAt,
    choices: pausedChoices(run),
    evidence: [],
  };
}

async function visitItem(deps: Deps, standing: LiveStanding, visit: Visit, changes: Changes): Promise<InboxItem[]> {
  const { run } = standing;
  const wait = waitOfVisit(run, visit);
  if (wait === null || wait.type === "context-action") return [];
  const { template } = await readFrozen(deps, run);
  const { events, firstCommit } = await historyOf(deps, run.runId, visit);
  const { place, token } = visit;
  const away = awayOf(deps, standing, visit);
  const root = runProjectRoot(deps.roots, visit.claim ?? run);
  // The paths of another clone are not known here, so they stay what the journal has.
  const shown = (text: string) => (away === null ? fillProjectRoot(text, root) : text);
  const question = openQuestion(run, token)?.id;
  const item: InboxItem = {
    ...factsOf(run),
    id: [run.runId, token, wait.type, ...(question === undefined ? [] : [question])].join(" "),
    step: place.step,
    task: place.type === "sub-step" ? taskText(run, place) : null,
    kind: wait.type,
    title: titleOf(visit, wait),
    text: shown(textOf(visit, wait, events)),
    since: sinceOf(events, wait) ?? run.updatedAt,
    choices: choicesFor(template, run, visit, wait.type, placeOf(deps)),
    evidence: [
      ...(await evidenceFor(deps, standing, template, visit, events, shown)),
      ...(await changesOf(deps, standing, visit, { changes, firstCommit, away })),
    ],
  };
  return [item];
}

function factsOf({ runId, workflow, summary }: LiveRun): Pick<InboxItem, "runId" | "workflow" | "summary"> {
  return { runId, workflow, summary };
}

/** Where the person is who is asked: at a terminal, or else at the dashboard. */
function placeOf({ caller }: Deps): ApprovalPlace {
  return caller.isTerminal ? "terminal" : "dashboard";
}

interface History {
  readonly events: LastEvents;
  readonly firstCommit: string | null;
}

async function historyOf(deps: Deps, runId: string, { token }: Visit): Promise<History> {
  const digest = await digestOf(deps, runId);
  const { firstCommit } = digest;
  const row = digest.rows.open.get(visitName(token));
  return { events: row === undefined ? {} : await lastOf(visitEvents(deps, runId, digest, row)), firstCommit };
}

function taskText({ loops }: LiveRun, { step, index, task }: Extract<Visit["place"], { type: "sub-step" }>): string {
  const title = ownEntry(loops, step)?.tasks[index]?.title ?? "";
  return oneLine(title === "" || title === task ? task : `${task}: ${title}`, 200);
}

function titleOf(visit: Visit, wait: PersonWait): string {
  const text = wait.type === "answer" ? "your answer to a question" : waitText(visit, wait);
  return `Waits for ${text}`;
}

function textOf({ review, reviewOf, pending }: Visit, wait: PersonWait, events: LastEvents): string {
  switch (wait.type) {
    case "answer":
      return wait.question;
    case "review":
      return `${reviewOf === "run" ? "The budget of the whole run" : "The budget of this step"} is spent: ${review}.`;
    case "decision":
      return pending?.reason ?? "";
    case "approval":
      return submittedText(events["approval-requested"]);
    case "resume":
    case "context-action":
      return "";
  }
}

/** The outcome decides where the run goes, so it is a part of what is approved. */
function submittedText({ output = "", outcome }: Partial<EventOf<"approval-requested">> = {}): string {
  return outcome === undefined ? output : `With the outcome "${outcome}":\n\n${output}`;
}

const beginnings = {
  approval: "approval-requested",
  answer: "question-asked",
  review: "review-opened",
  decision: "decision-requested",
} as const;

function sinceOf(events: LastEvents, { type }: PersonWait): string | undefined {
  if (type === "resume" || type === "context-action") return undefined;
  return events[beginnings[type]]?.at;
}

/** Why the files of a visit are not here; null if they are. Nobody should take ours for those of a colleague's agent. */
function awayOf(deps: Deps, { run }: LiveStanding, { claim }: Visit): string | null {
  if (isClaimedElsewhere(deps.roots, claim)) {
    return "This task was claimed in another clone, so its changes are not here. Look at them where the agent works.";
  }
  if (markOf(deps, run)?.isHere !== false) return null;
  return "Nobody has worked on this run from this clone, so its changes are not here. Look at them where the agent works.";
}

function markOf({ roots }: Deps, { runId }: LiveRun): CopyMark | null {
  return readCopyMark(join(roots.stateRoot, stateFolder, "runs"), runId);
}

interface Known {
  readonly changes: Changes;
  readonly firstCommit: string | null;
  readonly away: string | null;
}

/** What has changed in the files. */
async function changesOf(
  deps: Deps,
  standing: LiveStanding,
  visit: Visit,
  { changes, firstCommit, away }: Known,
): Promise<InboxItem["evidence"]> {
  if (away !== null) return [evidence("Changes", away)];
  const root = rootOfVisit(deps, standing, visit);
  const diff = root === null ? null : await changes(root, firstCommit);
  if (diff === null || diff === "") return [];
  const isShared = markOf(deps, standing.run) !== null;
  const where = isShared ? "in this clone" : "in the worktree";
  const since = isShared ? "in this clone since the run began" : "since the run began";
  return [evidence(`Changes ${firstCommit === null ? where : since}`, diff)];
}

/** The changes in a worktree since a commit; many runs share both, and git is asked once. */
type Changes = (root: string, since: string | null) => Promise<string | null>;

const mostWorktrees = 20;

function createChanges(): Changes {
  const known = new Map<string, Promise<string | null>>();
  return (root, since) => {
    const key = JSON.stringify([root, since]);
    const asked = known.get(key);
    if (asked === undefined && known.size >= mostWorktrees) return Promise.resolve(leftOut);
    const found = asked ?? diffStat(root, since);
    known.set(key, found);
    return found;
  };
}

const leftOut = `Left out: git is asked about ${mostWorktrees} worktrees at a time. They come as others are decided.`;
