import type { EventOf, RunEvent } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import { minutesBetween } from "../../model/time.ts";

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

/** What the steps of a run have taken, summed up event by event, so that a long journal takes little memory. */
export interface RunCount {
  readonly steps: Map<string, StepReport>;
  readonly agents: Set<string>;
  /** The open visits by token: their step, and when they were entered. */
  readonly open: Map<string, { readonly step: string; readonly since: string }>;
}

export function beginCount(): RunCount {
  return { steps: new Map(), agents: new Set(), open: new Map() };
}

export function copyCount({ steps, agents, open }: RunCount): RunCount {
  return {
    steps: new Map([...steps].map(([name, step]) => [name, { ...step }])),
    agents: new Set(agents),
    open: new Map(open),
  };
}

export function countEvent(count: RunCount, event: RunEvent): void {
  switch (event.type) {
    case "visit-entered":
      count.open.set(event.token, { step: nameOf(event.place), since: event.at });
      stepIn(count, nameOf(event.place)).visits += 1;
      break;
    case "visit-claimed":
    case "claim-lost":
    case "claim-released":
      rename(count, event.token, event.as);
      break;
    case "attempt-lost":
      stepIn(count, stepOf(count, event.token) ?? "").retries += 1;
      break;
    case "attempt-began":
      count.agents.add([event.agent, event.version, event.model].filter(Boolean).join(" "));
      break;
    case "gates-checked":
      countGates(stepIn(count, stepOf(count, event.token) ?? event.token), event);
      break;
    case "usage-recorded":
    case "budget-counted":
      countUsage(stepIn(count, stepOf(count, event.token) ?? otherWork), event);
      break;
    default:
      countEnd(count, event);
  }
}

function countEnd(count: RunCount, event: RunEvent): void {
  switch (event.type) {
    case "visit-failed":
      countFailure(count, event);
      break;
    case "visit-ended":
    case "visit-closed":
      close(count, event.token, event.at);
      break;
    case "failure-decided":
      if (event.verdict !== "retry") close(count, event.token, event.at);
      break;
    case "run-completed":
    case "run-failed":
    case "run-aborted":
      for (const token of [...count.open.keys()]) close(count, token, event.at);
  }
}

/** The sums; visits that are open count up to this moment. */
export function countedUntil(count: RunCount, now: string) {
  const { steps, agents, open } = copyCount(count);
  for (const { step, since } of open.values()) stepIn({ steps }, step).minutes += minutesBetween(since, now);
  const all = [...steps.values()];
  return { steps: all, total: all.reduce(sum, nothing), agents: [...agents] };
}

function stepIn({ steps }: Pick<RunCount, "steps">, step: string): StepReport {
  const known = steps.get(step) ?? { step, ...nothing };
  steps.set(step, known);
  return known;
}

function stepOf({ open }: RunCount, token: string | undefined): string | undefined {
  return open.get(token ?? "")?.step;
}

function rename({ open }: RunCount, token: string, as: string): void {
  const visit = open.get(token);
  open.delete(token);
  if (visit !== undefined) open.set(as, visit);
}

function close(count: RunCount, token: string, at: string): void {
  const visit = count.open.get(token);
  count.open.delete(token);
  if (visit !== undefined) stepIn(count, visit.step).minutes += minutesBetween(visit.since, at);
}

function countFailure(count: RunCount, { place, token, retry, at }: EventOf<"visit-failed">): void {
  stepIn(count, nameOf(place)).retries += retry === null ? 0 : 1;
  if (retry === null) close(count, token, at);
  else rename(count, token, retry);
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

function countUsage(step: StepReport, event: EventOf<"usage-recorded" | "budget-counted">): void {
  step.turns += event.turns;
  step.tokens += event.tokens ?? 0;
  step.cost += event.type === "usage-recorded" ? (event.cost ?? 0) : 0;
}

function countGates(step: StepReport, { purpose, evidence }: EventOf<"gates-checked">): void {
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
