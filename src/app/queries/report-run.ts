import * as z from "zod";
import type { RunEvent } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import type { RunStatus } from "../../model/run.ts";
import { minutesBetween } from "../../model/time.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";

/** What one step has taken, over all its visits and tasks. */
export interface StepReport {
  readonly step: string;
  visits: number;
  /** From the beginning to the end of its visits; those that run side by side all count. */
  minutes: number;
  turns: number;
  tokens: number;
  /** In US dollars. */
  cost: number;
  /** Attempts that failed, were lost, or were sent back by a gate. */
  retries: number;
  gatesPassed: number;
  gatesFailed: number;
}

export interface RunReport {
  readonly runId: string;
  readonly workflow: string;
  readonly summary: string | null;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly steps: readonly StepReport[];
  readonly total: Omit<StepReport, "step">;
  /** The agents that `holdfast run` has driven, with their versions. */
  readonly agents: readonly string[];
}

export const reportRun = defineOperation({
  summary: "What a run has taken: time, tokens, cost, attempts and gates of each step.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<RunReport>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId, workflow, summary, status, startedAt } = chosen.value.run;
    const count = createCount(deps.now());
    for await (const { events } of deps.store.read(runId)) for (const event of events) count.add(event);
    return yes({ runId, workflow, summary, status, startedAt, ...count.result() });
  },
});

/** Sums up events one by one, so that a long journal takes little memory. */
function createCount(now: string) {
  const steps = new Map<string, StepReport>();
  const agents = new Set<string>();
  /** The open visits by token: their step, and when they were entered. */
  const open = new Map<string, { readonly step: string; readonly since: string }>();
  const of = (step: string) => {
    const known = steps.get(step) ?? { step, ...nothing };
    steps.set(step, known);
    return known;
  };
  const stepOf = (token: string | undefined) => open.get(token ?? "")?.step;
  const rename = (token: string, as: string) => {
    const visit = open.get(token);
    open.delete(token);
    if (visit !== undefined) open.set(as, visit);
  };
  const close = (token: string, at: string) => {
    const visit = open.get(token);
    open.delete(token);
    if (visit !== undefined) of(visit.step).minutes += minutesBetween(visit.since, at);
  };
  return {
    add(event: RunEvent) {
      switch (event.type) {
        case "visit-entered":
          open.set(event.token, { step: nameOf(event.place), since: event.at });
          of(nameOf(event.place)).visits += 1;
          return;
        case "visit-claimed":
        case "claim-lost":
        case "claim-released":
          return rename(event.token, event.as);
        case "visit-failed":
          of(nameOf(event.place)).retries += event.retry === null ? 0 : 1;
          return event.retry === null ? close(event.token, event.at) : rename(event.token, event.retry);
        case "visit-ended":
        case "visit-closed":
          return close(event.token, event.at);
        case "attempt-lost":
          of(stepOf(event.token) ?? "").retries += 1;
          return;
        case "attempt-began":
          agents.add([event.agent, event.version, event.model].filter(Boolean).join(" "));
          return;
        case "gates-checked":
          return countGates(of(stepOf(event.token) ?? event.token), event);
        case "usage-recorded":
        case "budget-counted":
          return countUsage(of(stepOf(event.token) ?? otherWork), event);
      }
    },
    result() {
      for (const token of open.keys()) close(token, now);
      const all = [...steps.values()];
      return { steps: all, total: all.reduce(sum, nothing), agents: [...agents] };
    },
  };
}

/** What was used outside of every visit. */
const otherWork = "(between steps)";

const nothing: Omit<StepReport, "step"> = {
  visits: 0,
  minutes: 0,
  turns: 0,
  tokens: 0,
  cost: 0,
  retries: 0,
  gatesPassed: 0,
  gatesFailed: 0,
};

function nameOf(place: Place): string {
  return place.type === "sub-step" ? `${place.step}/${place.subStep}` : place.step;
}

function countUsage(step: StepReport, event: Extract<RunEvent, { type: "usage-recorded" | "budget-counted" }>): void {
  step.turns += event.turns;
  step.tokens += event.tokens ?? 0;
  step.cost += event.type === "usage-recorded" ? (event.cost ?? 0) : 0;
}

function countGates(step: StepReport, { purpose, evidence }: Extract<RunEvent, { type: "gates-checked" }>): void {
  const failed = evidence.filter(({ held }) => !held).length;
  step.gatesPassed += evidence.length - failed;
  // An `until` that does not hold yet is no failure.
  if (purpose === "gate") {
    step.gatesFailed += failed;
    step.retries += failed > 0 ? 1 : 0;
  }
}

function sum(total: Omit<StepReport, "step">, step: StepReport): Omit<StepReport, "step"> {
  const names = Object.keys(nothing) as (keyof typeof nothing)[];
  return Object.fromEntries(names.map((name) => [name, total[name] + step[name]])) as typeof nothing;
}
