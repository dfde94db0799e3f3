import { placesOf } from "../../engine/commands/approval.ts";
import { stepSettings } from "../../engine/step-settings.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { ownEntry } from "../../model/json.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { canGoOn, isLive, openQuestion } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { claimedBeside } from "../runs/closed-tasks.ts";
import { type Submission, submissionFor } from "../runs/submission.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

/** What a run waits for that a person can decide in a dialog. */
export type Wait = WaitedFor & {
  readonly runId: string;
  readonly workflow: string;
  readonly step: string;
  readonly token: string;
  readonly task?: { readonly id: string; readonly title: string };
  /** The tasks that other agents have claimed, and that leaving the loop would close. */
  readonly closes: readonly string[];
};

type WaitedFor =
  | ({ readonly type: "approval"; readonly asked: number | undefined } & Submission)
  | { readonly type: "question"; readonly id: string; readonly text: string }
  | { readonly type: "review"; readonly spent: string; readonly of: "run" | "step" }
  | { readonly type: "failure"; readonly why: string; readonly reason: string; readonly steps: readonly string[] };

/** Null if the visit goes on by itself, or waits for something that a dialog cannot give. Without a token, the first that waits. */
export async function findWait(deps: Deps, named: string | undefined, token: string | null): Promise<Wait | null> {
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok || !isLive(chosen.value.run)) return null;
  const { run } = chosen.value;
  const meant = token === null ? run.visits : run.visits.filter((each) => each.token === token);
  const visit = meant.find((each) => isWaiting(run, each, deps.caller.session));
  if (visit === undefined) return null;
  const waited = await waitedFor(deps, chosen.value, run, visit);
  if (waited === null) return null;
  const { runId, workflow } = run;
  const { place } = visit;
  const task = taskAt(run, place);
  const closes = claimedBeside(run, visit.token);
  return { ...waited, runId, workflow, step: place.step, token: visit.token, closes, ...(task && { task }) };
}

function taskAt({ loops }: LiveRun, place: Visit["place"]): Wait["task"] {
  if (place.type !== "sub-step") return undefined;
  return { id: place.task, title: ownEntry(loops, place.step)?.tasks[place.index]?.title ?? "" };
}

/** Tells this wait from every other one. */
export function nameOf(wait: Wait): string {
  const which = wait.type === "question" ? [wait.id] : wait.type === "approval" ? [wait.asked ?? ""] : [];
  return [wait.runId, wait.token, wait.type, ...which].join(" ");
}

/** The visit that a form is about. */
export type AskedAbout = Pick<Wait, "runId" | "token">;

/** What the name of a form says about that. */
export function targetOf(name: string): AskedAbout {
  const [runId = "", token = ""] = name.split(" ");
  return { runId, token };
}

/** Who has decided what a form asked for; null if nobody has. */
export async function deciderOf(deps: Deps, { runId, token }: AskedAbout): Promise<string | null> {
  let decider: string | null = null;
  for await (const { events } of deps.store.read(runId)) {
    for (const event of events)
      if ("token" in event && event.token === token && "by" in event) decider = event.by ?? decider;
  }
  return decider;
}

/** Only the session whose call asked is asked, and not about what others work on. */
function isWaiting(run: LiveRun, visit: Visit, session: string | undefined): boolean {
  const isOwn = visit.claim === undefined || (visit.claim !== null && visit.claim.session === (session ?? null));
  return run.status !== "paused" && isOwn && !canGoOn(run, visit);
}

async function waitedFor(deps: Deps, standing: Standing, run: LiveRun, visit: Visit): Promise<WaitedFor | null> {
  if (visit.review !== null) return { type: "review", spent: visit.review, of: visit.reviewOf ?? "step" };
  const question = openQuestion(run, visit.token);
  if (question !== null) return { type: "question", id: question.id, text: question.text };
  const { template } = await readFrozen(deps, run);
  if (visit.pending !== undefined) {
    return { type: "failure", ...visit.pending, steps: template.steps.map(({ id }) => id) };
  }
  if (!placesOf(stepSettings(template, visit.place)?.gates ?? []).includes("host-dialog")) return null;
  return { type: "approval", asked: visit.asked, ...(await submissionFor(deps, standing, visit.token)) };
}
