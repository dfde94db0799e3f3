import * as z from "zod";
import { outcomesOf, stepAfter } from "../../engine/step-settings.ts";
import { openTasksOf } from "../../engine/view/open-tasks.ts";
import { agentVariable } from "../../hosts/agents.ts";
import type { Actor, Command } from "../../model/command.ts";
import { ownEntry } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { longest, nonBlankText } from "../../operation/non-blank-text.ts";
import { type Deps, defineOperation, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import { type Changed, changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { closedWarning } from "../runs/closed-tasks.ts";
import { focusOn } from "../runs/focus.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";
import { type Submission, submissionFor } from "../runs/submission.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { actorIn, deciderFor, personOf, refuseAgent } from "../workflows/person.ts";

const run = z.string().optional().describe("The run; by default the only live one here.");
const token = z.string().optional().describe("The visit's token, where several are open.");
const task = z.string().optional().describe("The task, where several are open.");
const asked = z
  .int()
  .positive()
  .optional()
  .describe("The number of the event that asked for it, so that no newer request is decided unseen.");
const reason = nonBlankText(longest.reason);

/** The run's status after a person's decision. */
export type PersonReply = StatusReply & { readonly warning?: string; readonly decided?: DecidedApproval };

/** What a person has approved or rejected, and what follows from it. */
export interface DecidedApproval extends Submission {
  readonly decision: "approved" | "rejected";
  readonly by: string;
  readonly next: string;
}

export const approve = defineOperation({
  summary: "Approve the step that waits for approval.",
  input: z.strictObject({ run, token, task, asked, reason: reason.optional().describe("Why.") }),
  run: (deps, { run: named, ...input }) =>
    decideApproval(deps, named, "approving", (person) => ({ type: "approve", ...input, ...person })),
});

export const reject = defineOperation({
  summary: "Reject the step that waits for approval, and say why.",
  input: z.strictObject({ run, token, task, asked, reason: reason.describe("What has to change.") }),
  run: (deps, { run: named, ...input }) =>
    decideApproval(deps, named, "rejecting", (person) => ({ type: "reject", ...input, ...person })),
});

export const release = defineOperation({
  summary: "Take a task from whoever works on it, so that another agent can.",
  input: z.strictObject({ run, token, task }),
  run: (deps, { run: named, ...input }) =>
    actAsPerson(deps, named, "releasing a task", (actor) => ({ type: "release", ...input, ...actor })),
});

export const goTo = defineOperation({
  summary: "Move a run to another step.",
  input: z.strictObject({ run, step: z.string().describe("The step."), reason: reason.describe("Why.") }),
  run: (deps, { run: named, step, reason: why }) =>
    actAsPerson(deps, named, "moving a run", (actor) => ({ type: "goto", step, ...actor, reason: why })),
});

export const pause = defineOperation({
  summary: "Pause a run: the agent is told to wait.",
  input: z.strictObject({ run, reason: reason.optional().describe("Why.") }),
  run: (deps, input) => change(deps, input.run, { type: "pause", ...nameOf(deps), reason: input.reason }),
});

export const tell = defineOperation({
  summary: "Send a message to the agent that `holdfast run` drives; it is part of the agent's next prompt.",
  input: z.strictObject({ run, text: nonBlankText(10_000).describe("What to tell it.") }),
  run: async (deps, input): Promise<Outcome<PersonReply>> => {
    const refused = refuseAgent(deps, "telling the agent something");
    if (refused !== null) return refused;
    const told = await changeChosen(deps, input.run, {
      type: "tell",
      text: input.text,
      ...actorIn(deps),
    });
    if (!told.ok) return told;
    const { run: now } = told.value.standing;
    const isDriven = now.drive != null && isRunnerAlive(now.drive.runner);
    const warning = `nobody drives this run now; the agent gets it after: holdfast run --resume ${now.runId}`;
    return yes({ ...(await statusOf(deps, told.value.standing)), ...(!isDriven && { warning }) });
  },
});

export const resume = defineOperation({
  summary: "Resume a paused run.",
  input: z.strictObject({ run }),
  run: async (deps, input) =>
    refuseAgent(deps, "resuming a run") ?? change(deps, input.run, { type: "resume", ...actorIn(deps) }),
});

export const abort = defineOperation({
  summary: "End a run. Its journal stays, and a person can reopen it.",
  input: z.strictObject({
    run,
    reason: reason.optional().describe("Why."),
    yes: z.boolean().optional().describe("Do not ask first."),
  }),
  async run(deps, input) {
    const chosen = await chooseRun(deps, input.run);
    if (!chosen.ok) return chosen;
    const { runId } = chosen.value.run;
    const refused = input.yes === true ? null : await askBeforeAbort(deps, chosen.value.run);
    if (refused !== null) return refused;
    return change(deps, runId, { type: "abort", ...nameOf(deps), reason: input.reason ?? "aborted by hand" });
  },
});

/** Who acts. An agent may do this too, so where it was done is not recorded. */
function nameOf({ caller, user }: Deps): Actor {
  return caller.person ?? { by: user.name };
}

/** Only a person at a terminal is asked; a script or an agent means what it says. */
async function askBeforeAbort({ caller }: Deps, chosen: StartedRun): Promise<No | null> {
  if (caller.confirm === undefined || agentVariable(caller.env) !== undefined || !isLive(chosen)) return null;
  const open = openTasksOf(chosen).map(({ id, state }) => `${id} (${state})`);
  const tasks = open.length === 0 ? "" : ` with the open tasks ${open.join(", ")}`;
  const what = `this ends ${chosen.runId}${tasks}; only a person can reopen it`;
  return (await caller.confirm(`${what}. Continue?`)) ? null : no({ code: "confirmation-needed", what });
}

async function decideApproval(
  deps: Deps,
  named: string | undefined,
  what: string,
  command: (person: Actor) => Command,
): Promise<Outcome<PersonReply>> {
  const person = await deciderFor(deps, what);
  if (!person.ok) return person;
  const changed = await changeChosen(deps, named, command(person.value));
  if (!changed.ok) return changed;
  const { standing, events, template } = changed.value;
  const event = events.find((each) => each.type === "approval-given" || each.type === "approval-refused");
  const status = await statusOf(focusOn(deps, event?.token), standing);
  if (event === undefined) return yes(status);
  const submission = await submissionFor(deps, standing, event.token);
  const isGiven = event.type === "approval-given";
  return yes({
    ...status,
    decided: {
      decision: isGiven ? "approved" : "rejected",
      by: person.value.by,
      ...submission,
      next: isGiven ? afterApproval(template, status, submission.outcome) : afterRejection,
    },
  });
}

const toldToContinue = "If it has stopped, tell it to continue.";
const afterRejection = `The agent gets your reason with its instructions, and asks again when it has changed the work. ${toldToContinue}`;

function afterApproval(template: Template, { step, task, ralphIteration }: StatusReply, outcome?: string): string {
  // Within a loop or a ralph step it depends on the tasks and checks what comes next.
  const isWithin = task !== undefined || ralphIteration !== undefined;
  const target = isWithin ? null : stepTo(template, step, outcome);
  const where = target === null ? "" : target === "complete" ? ", which completes the run" : ` to "${target}"`;
  return `The agent can advance now${where}. ${toldToContinue}`;
}

/** The step that an action leads to, or how the run ends. */
function stepTo(template: Template, step: string, outcome: string | undefined): string | null {
  const outcomes = outcomesOf(template, { type: "action", step });
  // The workflow may have changed since, and not have this outcome any more.
  const target = outcome === undefined ? "next" : ownEntry(outcomes ?? {}, outcome);
  if (target === undefined) return null;
  if (target === "fail") return null;
  return target === "next" ? (stepAfter(template, step)?.id ?? "complete") : target;
}

async function actAsPerson(
  deps: Deps,
  named: string | undefined,
  what: string,
  command: (actor: Actor) => Command,
): Promise<Outcome<PersonReply>> {
  const person = await personOf(deps, what);
  return person.ok ? change(deps, named, command(person.value)) : person;
}

async function change(deps: Deps, named: string | undefined, command: Command): Promise<Outcome<PersonReply>> {
  const changed = await changeChosen(deps, named, command);
  if (!changed.ok) return changed;
  const { standing, events } = changed.value;
  return yes({ ...(await statusOf(deps, standing)), ...closedWarning(events) });
}

async function changeChosen(
  deps: Deps,
  named: string | undefined,
  command: Command,
): Promise<Outcome<Changed & { readonly template: Template }>> {
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok) return chosen;
  const { template } = await readFrozen(deps, chosen.value.run);
  const changed = await changeRun(deps, chosen.value, template, { command });
  return changed.ok ? yes({ ...changed.value, template }) : changed;
}
