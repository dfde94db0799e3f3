import * as z from "zod";
import { countsOf, endOf } from "../../engine/loop-state.ts";
import { openIndex } from "../../engine/view/view.ts";
import { ownEntry } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { GraphNode, NodeStatus, RunGraph } from "../../serve/contract/run-answers.ts";
import { countedUntil, type StepReport } from "../digest/count-run.ts";
import { countAt } from "../digest/run-digest.ts";
import { type GraphMove, type GraphStep, graphOf } from "../queries/workflow-graph.ts";
import { chooseMoment } from "../runs/moment.ts";
import { momentInput } from "../runs/moment-input.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export const showRunGraph = defineOperation({
  summary:
    "The steps of a run and the transitions between them, with what each step took. Now or at a moment of its past.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    at: momentInput,
  }),
  async run(now, { run: named, at }): Promise<Outcome<RunGraph>> {
    const chosen = await chooseMoment(now, named, at);
    if (!chosen.ok) return chosen;
    const { deps, standing, moment } = chosen.value;
    const { run } = standing;
    const { template } = await readFrozen(deps, run);
    const { steps, moves } = graphOf(template);
    const until = isLive(run) ? deps.now() : run.endedAt;
    const taken = countedUntil(await countAt(now, run.runId, run.seq), until).steps;
    return yes({
      runId: run.runId,
      status: run.status,
      event: run.seq,
      lastEvent: moment?.last ?? run.seq,
      current: isLive(run) ? [...new Set(run.visits.map(({ place }) => place.step))] : [],
      nodes: steps.map((step) => nodeOf(run, step, taken)),
      edges: moves.map(edgeOf),
    });
  },
});

function nodeOf(run: StartedRun, step: GraphStep, taken: readonly StepReport[]): GraphNode {
  const { id, type, phase, subSteps } = step;
  const own = taken.filter((each) => each.step === id || each.step.startsWith(`${id}/`));
  const sum = (name: "visits" | "minutes" | "retries" | "gatesPassed" | "gatesFailed" | "tokens" | "cost") =>
    own.reduce((total, each) => total + each[name], 0);
  return {
    id,
    type,
    phase,
    status: ownEntry(run.steps, id)?.status ?? "ahead",
    visits: sum("visits"),
    minutes: sum("minutes"),
    retries: sum("retries"),
    gatesPassed: sum("gatesPassed"),
    gatesFailed: sum("gatesFailed"),
    tokens: sum("tokens"),
    cost: sum("cost"),
    gates: [...gatesOf(step), ...subSteps.flatMap((sub) => gatesOf(sub).map((gate) => `${sub.id}: ${gate}`))],
    tasks: tasksAt(run, id),
    subSteps: subSteps.map((sub) => sub.id),
  };
}

function gatesOf({ gates, approval }: Pick<GraphStep, "gates" | "approval">): string[] {
  return approval ? [...gates, "a person's approval"] : [...gates];
}

const mostShown = 200;
/** How many of the tasks before the current one are shown. */
const before = 50;

function tasksAt(run: StartedRun, id: string): GraphNode["tasks"] {
  const loop = ownEntry(run.loops, id);
  if (loop === undefined || loop.tasks.length === 0) return null;
  const { done, failed, total } = countsOf(loop);
  const open = new Set(isLive(run) ? run.visits.flatMap(({ place }) => openIndex(place, id)) : []);
  const first = Math.max(0, Math.min(Math.min(loop.next, ...open) - before, total - mostShown));
  const near = Array.from({ length: Math.min(mostShown, total) }, (_, offset) => first + offset);
  const indexes = [...new Set([...open, ...near])].slice(0, mostShown).sort((a, b) => a - b);
  const shown = indexes.flatMap((index) => {
    const task = loop.tasks[index];
    if (task === undefined) return [];
    const status: NodeStatus = open.has(index) ? "open" : (endOf(loop, index) ?? "ahead");
    return [{ id: task.id, title: task.title, status }];
  });
  return { total, done, failed, shown };
}

function edgeOf({ from, to, outcome, context }: GraphMove): RunGraph["edges"][number] {
  const parts = [...(outcome === null ? [] : [outcome]), ...(context === null ? [] : [`/${context}`])];
  return { from, to, label: parts.length === 0 ? null : parts.join(" ") };
}
