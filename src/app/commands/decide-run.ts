import * as z from "zod";
import { continuations } from "../../engine/commands/review.ts";
import { failureVerdicts, reviewVerdicts } from "../../engine/verdicts.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import type { Actor, Command } from "../../model/command.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { longest, nonBlankText } from "../../operation/non-blank-text.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { type GitFacts, gitFacts } from "../../platform/git.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun, findRun, findRunId, liveRuns, loadLive, onlyRun, workedOnHere } from "../runs/choose-run.ts";
import { claimedBeside, closedWarning } from "../runs/closed-tasks.ts";
import { ownRootOf, statusOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { deciderFor, personOf } from "../workflows/person.ts";
import type { PersonReply } from "./person-commands.ts";

const text = nonBlankText(longest.reason);
const verdicts = ["retry", "skip", "go_to", "continue", "pivot", "escalate", "abandon"] as const;

const DecideFields = z.strictObject({
  run: z.string().optional().describe("The run; by default the only one that waits for a decision."),
  token: z.string().optional().describe("The visit's token, where several wait."),
  task: z.string().optional().describe("The task whose visit is meant, where several wait."),
  verdict: z.enum(verdicts).optional().describe("What happens next; without it, what is pending is listed."),
  step: z.string().optional().describe("Where go_to leads."),
  feedback: text.optional().describe("Feedback for the agent."),
  reason: text.optional().describe("Why; the agent gets it as feedback."),
});
const DecideInput = DecideFields.refine(({ verdict, step }) => step === undefined || verdict === "go_to", {
  path: ["step"],
  error: "is only for go_to",
});
type DecideInput = z.infer<typeof DecideInput>;

/** Something that a person must decide. */
export interface PendingDecision {
  readonly runId: string;
  readonly workflow: string;
  readonly token: string;
  readonly step: string;
  readonly task?: string;
  readonly about: "failed" | "interrupted" | "budget";
  readonly reason: string;
  readonly verdicts: readonly string[];
  /** The tasks that agents have claimed, and that a decision to leave the loop would close; absent if there are none. */
  readonly closes?: readonly string[];
}

export type DecideReply = PersonReply | { readonly pending: readonly PendingDecision[] };

export const decideRun = defineOperation({
  summary:
    "Decide about a failure (retry, skip, go_to, abandon) or a spent budget (continue, pivot, escalate, abandon).",
  input: DecideInput,
  async run(deps, input): Promise<Outcome<DecideReply>> {
    const { verdict } = input;
    if (verdict === undefined) return listPending(deps, input);
    const person = await deciderFor(deps, "deciding how a run continues");
    if (!person.ok) return person;
    const chosen = await choosePending(deps, input);
    if (!chosen.ok) return chosen;
    const work = verdict === "pivot" ? await workOf(deps, chosen.value) : undefined;
    const { template } = await readFrozen(deps, chosen.value.run);
    const changed = await changeRun(deps, chosen.value, template, {
      command: commandOf(chosen.value.run, { ...input, verdict }, person.value, work),
    });
    if (!changed.ok) return changed;
    const { standing, events } = changed.value;
    const status = await statusOf(deps, standing);
    const { run } = chosen.value;
    const decided = isLive(run) ? targetOf(run.visits, input) : undefined;
    const warning = verdict === "continue" ? continueWarning(standing.run, decided) : closedWarning(events);
    return yes({ ...status, ...warning });
  },
});

async function listPending(deps: Deps, { run: named, token, task }: DecideInput): Promise<Outcome<DecideReply>> {
  const chosen = named === undefined ? null : await findRun(deps, named);
  if (chosen?.ok === false) return chosen;
  const standings = chosen === null ? await loadLive(deps, await liveRuns(deps)) : [chosen.value];
  const pending = standings.flatMap(({ run }) => pendingIn(run));
  return yes({
    pending: pending.filter((each) => (token ?? each.token) === each.token && (task ?? each.task) === each.task),
  });
}

function pendingIn(run: StartedRun): readonly PendingDecision[] {
  if (!isLive(run)) return [];
  return run.visits.flatMap((visit): PendingDecision[] => {
    const { token, place, pending, review, reviewOf } = visit;
    const task = place.type === "sub-step" ? { task: place.task } : {};
    const others = claimedBeside(run, token);
    const closes = others.length > 0 && { closes: others };
    const which = { runId: run.runId, workflow: run.workflow, token, step: place.step, ...task };
    if (review !== null) {
      const spent = `${review} ${review === "cost" ? "is" : "are"} used up`;
      const reason = reviewOf === "run" ? `${spent} (the budget of the whole run)` : spent;
      return [{ ...which, about: "budget", reason, verdicts: [...reviewVerdicts], ...closes }];
    }
    if (pending === undefined) return [];
    return [{ ...which, about: pending.why, reason: pending.reason, verdicts: [...failureVerdicts], ...closes }];
  });
}

/** Without a name, the only run that waits for a decision, even if others are live. */
async function choosePending(deps: Deps, { run: named }: DecideInput) {
  if (named !== undefined) return chooseRun(deps, named);
  const live = await loadLive(deps, await workedOnHere(deps, await liveRuns(deps)));
  const waiting = live.filter(({ run }) => pendingIn(run).length > 0);
  const only = onlyRun(
    waiting.map(({ run }) => run),
    deps.roots.worktree,
  );
  const chosen = waiting.find(({ run }) => run === only);
  if (chosen !== undefined) return yes(chosen);
  if (waiting.length === 0) return chooseRun(deps, undefined);
  return no({ code: "run-ambiguous" as const, runs: waiting.map(({ run }) => run.runId) });
}

/** The visit decides which kind of decision it is; the engine refuses a verdict of the other kind. */
function commandOf(
  run: StartedRun,
  input: DecideInput & { readonly verdict: NonNullable<DecideInput["verdict"]> },
  person: Actor,
  work: GitFacts | undefined,
): Command {
  const { verdict, step } = input;
  const visit = isLive(run) ? targetOf(run.visits, input) : undefined;
  const token = input.token ?? (input.task === undefined ? undefined : visit?.token);
  const said = input.reason ?? input.feedback;
  const [failure, review] = [failureVerdicts, reviewVerdicts].map((known) => known as readonly string[]);
  const isFailure = failure?.includes(verdict) && (visit?.pending !== undefined || !review?.includes(verdict));
  return isFailure
    ? { type: "decide", token, verdict: verdict as (typeof failureVerdicts)[number], step, ...person, reason: said }
    : { type: "review", token, verdict: verdict as (typeof reviewVerdicts)[number], ...person, feedback: said, work };
}

function targetOf(visits: readonly Visit[], { token, task }: DecideInput): Visit | undefined {
  if (token !== undefined) return visits.find((visit) => visit.token === token);
  if (task === undefined)
    return visits.find(({ pending, review }) => pending !== undefined || review !== null) ?? visits[0];
  return visits.find(({ place }) => place.type === "sub-step" && place.task === task);
}

function continueWarning(run: StartedRun, decided: Visit | undefined): { readonly warning?: string } {
  if (!isLive(run)) return {};
  const continued = decided?.reviewOf === "run" ? run : run.visits.find(({ token }) => token === decided?.token);
  const times = continued?.spending?.continues ?? 0;
  if (times < continuations.warnAt) return {};
  const { most } = continuations;
  return { warning: `continued ${times} times in a row; after ${most} it must pivot, escalate or be abandoned` };
}

/** The commit that the work is at: after a pivot some of it may have to be undone. */
async function workOf(deps: Deps, standing: LiveStanding | Parameters<typeof ownRootOf>[1]) {
  const root = ownRootOf(deps, standing);
  return root === null ? undefined : ((await gitFacts(root)) ?? undefined);
}

export const reopenRun = defineOperation({
  summary: "Revive a run that failed or was aborted, with its outputs.",
  input: z.strictObject({
    run: z.string().describe("The run: its id, the beginning of its id, or its workflow."),
    at: z.string().optional().describe("The step to go on with; by default the one where the run ended."),
    reason: text.optional().describe("Why; the agent gets it with the step."),
  }),
  async run(deps, { run: named, at, reason }): Promise<Outcome<PersonReply>> {
    const person = await personOf(deps, "reopening a run");
    if (!person.ok) return person;
    const runId = await findRunId(deps, named, "ended");
    const chosen = runId.ok ? await findRun(deps, runId.value) : runId;
    if (!chosen.ok) return chosen;
    const { template } = await readFrozen(deps, chosen.value.run);
    const command = { type: "reopen", step: at, ...person.value, reason } as const;
    const changed = await changeRun(deps, chosen.value, template, { command });
    return changed.ok ? yes(await statusOf(deps, changed.value.standing)) : changed;
  },
});
