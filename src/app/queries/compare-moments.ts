import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { countsOf } from "../../engine/loop-state.ts";
import { latestOutput } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { momentOf, type RunAt } from "../runs/moment.ts";
import type { MomentFacts } from "../runs/reply.ts";

/** Kinds of facts, in the order in which they are shown. */
const areas = [
  "run",
  "visit",
  "step",
  "tasks",
  "variable",
  "output",
  "artifact",
  "question",
  "budget",
  "used",
] as const;

/** A fact that differs between the two moments. `from` or `to` is null where the fact did not exist. */
export interface Difference {
  readonly area: (typeof areas)[number];
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface Differences {
  readonly runId: string;
  /** The earlier moment, whichever was given first. */
  readonly from: MomentFacts;
  readonly to: MomentFacts;
  readonly changes: readonly Difference[];
  /** The gates that were checked in between, the later moment included. */
  readonly gates: readonly CheckedGate[];
  /** How many events of each type there are in between, the later moment included. */
  readonly events: Readonly<Record<string, number>>;
}

export interface CheckedGate {
  readonly event: number;
  readonly token: string;
  readonly what: string;
  readonly held: boolean;
}

const event = z.int().positive().describe("The number of an event.");

export const compareMoments = defineOperation({
  summary: "What changed in a run between two events.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    from: event,
    to: event,
  }),
  async run(deps, { run: named, from, to }): Promise<Outcome<Differences>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const earlier = await momentOf(deps, chosen.value, Math.min(from, to));
    if (!earlier.ok) return earlier;
    const later = await momentOf(deps, chosen.value, Math.max(from, to));
    if (!later.ok) return later;
    const { runId } = chosen.value.run;
    return yes({
      runId,
      from: earlier.value.moment,
      to: later.value.moment,
      changes: await changesBetween(earlier.value, later.value),
      ...(await eventsBetween(deps, earlier.value, later.value.moment.event)),
    });
  },
});

async function changesBetween(earlier: RunAt, later: RunAt): Promise<Difference[]> {
  const [before, after] = [factsOf(earlier.standing), factsOf(later.standing)];
  const changes: Difference[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(key), after.get(key)];
    const { area, name } = from ?? to ?? { area: "run", name: "" };
    if (!isDeepStrictEqual(from?.value, to?.value))
      changes.push({ area, name, from: from?.value ?? null, to: to?.value ?? null });
  }
  changes.push(...(await outputChanges(earlier, later)));
  return changes.sort((a, b) => areas.indexOf(a.area) - areas.indexOf(b.area));
}

interface Fact {
  readonly area: Difference["area"];
  readonly name: string;
  readonly value: unknown;
}

/** The facts of a run that are compared, by area and name. */
function factsOf({ run }: Standing): ReadonlyMap<string, Fact> {
  const { status, summary, templateHash, spending } = run;
  const all = (area: Fact["area"], values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [{ area, name, value }]));
  const visits = isLive(run) ? run.visits : [];
  const loops = Object.entries(run.loops).map(([loop, facts]) => [loop, countsOf(facts)]);
  const questions = run.questions.map(({ id, ...question }) => [id, question]);
  const spent = visits.map(({ token, spending: own }) => [token, spentOf(own)]);
  const facts: readonly Fact[] = [
    ...all("run", { status, summary, template: templateHash }),
    ...all("visit", Object.fromEntries(visits.map((visit) => [visit.token, visitFacts(visit)]))),
    ...all("step", run.steps),
    ...all("tasks", Object.fromEntries(loops)),
    ...all("variable", run.variables),
    ...all("artifact", run.artifacts),
    ...all("question", Object.fromEntries(questions)),
    ...all("budget", { ...Object.fromEntries(spent), ...(spending !== undefined && { run: spentOf(spending) }) }),
    ...all("used", { ...run.usage }),
  ];
  return new Map(facts.map((fact) => [`${fact.area} ${fact.name}`, fact]));
}

function visitFacts({ attempt, approval, review, pending, action }: Visit): object {
  return {
    attempt,
    ...(approval !== "none" && { approval }),
    ...(review !== null && { review }),
    ...(pending !== undefined && { pending: pending.why }),
    ...(action !== null && { [action.name]: action.status }),
  };
}

/** Without the time spent, which would differ in every comparison. Null if nothing was spent. */
function spentOf({ turns, tokens, cost = 0 }: { turns: number; tokens: number; cost?: number | undefined }) {
  return turns + tokens + cost === 0 ? null : { turns, tokens, cost };
}

/** In characters; `holdfast show <event>` prints an output in full. */
const longestOutput = 4_000;

async function outputChanges(earlier: RunAt, later: RunAt): Promise<Difference[]> {
  const { standing } = later;
  // Only the keys of a task's outputs contain a line break.
  const steps = Object.keys(standing.outputs).filter((key) => !key.includes("\n"));
  const changed = steps.filter((step) => standing.outputs[step]?.version !== earlier.standing.outputs[step]?.version);
  const textAt = async ({ deps, standing: there }: RunAt, step: string) =>
    (await latestOutput(deps, there, step))?.slice(0, longestOutput) ?? null;
  const changes: Difference[] = [];
  for (const name of changed) {
    const [from, to] = [await textAt(earlier, name), await textAt(later, name)];
    if (from !== to) changes.push({ area: "output", name, from, to });
  }
  return changes;
}

async function eventsBetween({ store }: Deps, { standing }: RunAt, last: number) {
  const { version, place, run } = standing;
  const gates: CheckedGate[] = [];
  const events: Record<string, number> = {};
  for await (const commit of store.read(run.runId, { version, place })) {
    for (const event of commit.events) {
      if (event.seq > last) return { gates, events };
      if (event.seq <= run.seq) continue;
      events[event.type] = (events[event.type] ?? 0) + 1;
      gates.push(...gatesIn(event));
    }
  }
  return { gates, events };
}

function gatesIn(event: RunEvent): CheckedGate[] {
  if (event.type !== "gates-checked") return [];
  return event.evidence.map(({ what, held }) => ({ event: event.seq, token: event.token, what, held }));
}
