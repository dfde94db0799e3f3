import * as z from "zod";
import { requestOf, runProjectRoot } from "../../journal/outputs.ts";
import { isLiveStanding, type Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { RunStatus } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { knownMachineName } from "../../project/machine.ts";
import type { RunContext, RunDecision } from "../../serve/contract/query-answers.ts";
import { gatherFacts } from "../continuity/handoff/gather-facts.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { ownNotes } from "../runs/own-card.ts";
import { foreignEvents } from "../transfer/foreign.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export interface ContextReply extends RunContext {
  readonly runId: string;
  readonly status: RunStatus;
  readonly summary?: string;
}

const limits = { all: 20_000, request: 8_000, each: 4_000, decision: 500 };

export const readContext = defineOperation({
  summary: "The request and the rules of a run, and its outputs and decisions so far; long ones are shortened.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    step: z.string().optional().describe("Only what belongs to this step."),
  }),
  async run(deps, { run: named, step }): Promise<Outcome<ContextReply>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId } = chosen.value.run;
    const { template } = await readFrozen(deps, chosen.value.run);
    const known = template.steps.map(({ id }) => id);
    if (step !== undefined && !known.includes(step)) return no({ code: "step-unknown", step, known });
    const root = runProjectRoot(deps.roots, chosen.value.run);
    const outputs = new Map<string, string>();
    const decisions: RunDecision[] = [];
    const isForCaller = eventsFor(deps, chosen.value);
    const events: RunEvent[] = [];
    for await (const commit of deps.store.read(runId)) {
      events.push(...commit.events);
      for (const event of commit.events.filter(isForCaller)) {
        if (event.type === "visit-ended" && isAbout(event.place.step, step)) {
          // Keep the newest last, so that the oldest are left out first.
          outputs.delete(event.key);
          outputs.set(event.key, fillProjectRoot(event.output, root));
        }
        const choice = choiceOf(event);
        if (choice !== null && isAbout(choice.step, step)) decisions.push(choice);
      }
    }
    const { foreign } = foreignEvents(events, await knownMachineName(deps.user));
    const latest = decisions.slice(-50).map((choice): RunDecision => {
      return foreign.includes(choice.event) ? { ...choice, foreign: true } : choice;
    });
    const rules = await rulesOf(deps, template, chosen.value);
    const about = await aboutRun(deps, chosen.value, root);
    return yes({ ...about, rules, decisions: latest, ...withinLimits(outputs) });
  },
});

/** Leaves out what is about a task that another session works on now: nobody is to take up its work. */
function eventsFor({ caller: { session } }: Deps, { run }: Standing): (event: RunEvent) => boolean {
  if (session === undefined || !isLive(run)) return () => true;
  const taskOf = (token: string) => token.split("/", 2).join("/");
  const held = run.visits.filter(({ claim }) => claim != null && claim.session !== session);
  const tasks = new Set(held.map(({ token }) => taskOf(token)));
  return (event) => !("token" in event && tasks.has(taskOf(event.token ?? "")));
}

async function aboutRun(
  deps: Deps,
  { run: { runId, status, summary } }: Standing,
  root: string,
): Promise<Pick<ContextReply, "runId" | "status" | "summary" | "request">> {
  const request = await requestOf(deps, runId);
  return {
    runId,
    status,
    ...(summary !== null && { summary }),
    ...(request !== undefined && { request: cut(fillProjectRoot(request, root), limits.request) }),
  };
}

async function rulesOf(deps: Deps, template: Template, standing: Standing): Promise<RunContext["rules"]> {
  if (!isLiveStanding(standing)) {
    const { required_reading, key_reminders, context } = ownNotes(template, standing.run);
    return { visit: [], requiredReading: required_reading, keyReminders: key_reminders, variables: context };
  }
  const session = deps.caller.session ?? "";
  const facts = await gatherFacts(await createServerPorts(deps), standing, { session, others: [] });
  const { requiredReading, keyReminders, context, here } = facts;
  const files = requiredReading.map(({ path, missing }) => `${path}${missing ? " (missing)" : ""}`);
  return { visit: here?.rules ?? [], requiredReading: files, keyReminders, variables: context };
}

function isAbout(step: string, asked: string | undefined): boolean {
  return asked === undefined || step === asked;
}

function choiceOf(event: RunEvent): RunDecision | null {
  const { seq } = event;
  switch (event.type) {
    case "visit-ended":
      if (event.outcome === null) return null;
      return { event: seq, step: event.place.step, what: event.outcome, by: null, text: brief(event.output) };
    case "approval-given":
      return { event: seq, step: stepOf(event.token), what: "approved", by: event.by, text: brief(event.reason) };
    case "approval-refused":
      return { event: seq, step: stepOf(event.token), what: "rejected", by: event.by, text: brief(event.reason) };
    case "question-answered":
      return {
        event: seq,
        step: stepOf(event.token),
        what: `answered ${event.id}`,
        by: event.by,
        text: brief(event.answer),
      };
    case "question-asked":
      return {
        event: seq,
        step: stepOf(event.token),
        what: `asked ${event.id}`,
        by: null,
        text: brief(event.question),
      };
    case "review-decided":
      return { event: seq, step: stepOf(event.token), what: event.verdict, by: event.by, text: brief(event.feedback) };
    default:
      return null;
  }
}

function brief(text: string | null): string {
  return cut(text ?? "", limits.decision);
}

/** Every token begins with the step. */
function stepOf(token: string): string {
  return decodeURIComponent(/^[^/#]*/.exec(token)?.[0] ?? "");
}

function withinLimits(outputs: ReadonlyMap<string, string>): Pick<RunContext, "outputs" | "shortened"> {
  const kept: [string, string][] = [];
  const shortened: string[] = [];
  let left = limits.all;
  for (const [key, text] of [...outputs].reverse()) {
    const short = cut(text, limits.each);
    if (short !== text || short.length > left) shortened.push(key);
    if (short.length > left) continue;
    left -= short.length;
    kept.push([key, short]);
  }
  return { outputs: Object.fromEntries(kept.reverse()), shortened: shortened.reverse() };
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join("")}…`;
}
