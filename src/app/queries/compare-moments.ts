import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { countsOf } from "../../engine/loop-state.ts";
import { latestOutput } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { Difference, Differences } from "../../serve/contract/query-answers.ts";
import { eventsBetween } from "../digest/events-between.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { momentOf, type RunAt } from "../runs/moment.ts";

/** Kinds of facts, in the order in which they are shown. */
const areas: readonly Difference["area"][] = [
  ...(["run", "visit", "step", "tasks", "variable", "output", "artifact", "question", "budget", "used"] as const),
];

/** More than these help nobody. */
const mostChanges = 200;

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
    const { runId, seq: last } = chosen.value.run;
    const { changes, left } = await changesBetween(earlier.value, later.value);
    return yes({
      runId,
      from: earlier.value.moment,
      to: later.value.moment,
      changes: changes.slice(0, mostChanges),
      changesLeftOut: left + Math.max(0, changes.length - mostChanges),
      ...(await eventsBetween(deps, earlier.value.standing, later.value.moment.event, last)),
    });
  },
});

/** `left` is how many there are that were not looked at. */
async function changesBetween(earlier: RunAt, later: RunAt) {
  const [before, after] = [factsOf(earlier.standing), factsOf(later.standing)];
  const changes: Difference[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(key), after.get(key)];
    const { area, name } = from ?? to ?? { area: "run", name: "" };
    if (!isDeepStrictEqual(from?.value, to?.value))
      changes.push({ area, name, from: from?.value ?? null, to: to?.value ?? null });
  }
  const outputs = await outputChanges(earlier, later);
  changes.push(...outputs.changes);
  changes.sort((a, b) => areas.indexOf(a.area) - areas.indexOf(b.area));
  return { changes, left: outputs.left };
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

async function outputChanges(earlier: RunAt, later: RunAt) {
  const { standing } = later;
  // Only the keys of a task's outputs contain a line break.
  const steps = Object.keys(standing.outputs).filter((key) => !key.includes("\n"));
  const changed = steps.filter((step) => standing.outputs[step]?.version !== earlier.standing.outputs[step]?.version);
  const textAt = async ({ deps, standing: there }: RunAt, step: string) =>
    (await latestOutput(deps, there, step))?.slice(0, longestOutput) ?? null;
  const changes: Difference[] = [];
  for (const name of changed.slice(0, mostChanges)) {
    const [from, to] = [await textAt(earlier, name), await textAt(later, name)];
    if (from !== to) changes.push({ area: "output", name, from, to });
  }
  return { changes, left: Math.max(0, changed.length - mostChanges) };
}
