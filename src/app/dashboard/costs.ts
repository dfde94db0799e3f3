import * as z from "zod";
import type { Glance } from "../../journal/stored-runs.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { Costs, Spent } from "../../serve/contract/contract.ts";
import { digestOf } from "../digest/run-digest.ts";
import { addToDays, beginDays, dayAfter, dayOf, type Taken, takenUntil } from "../digest/taken-days.ts";
import { isLiveGlance, newestFirst, surveyRuns } from "../runs/choose-run.ts";

/** The runs need no project here. */
type OwnCosts = Omit<Costs, "runs"> & { readonly runs: readonly Spent[] };

/** Each of them is read once, and again after it has changed. */
const mostRuns = 500;

export const showCosts = defineOperation({
  summary: "What the runs of this project have taken, by day, workflow, step and run.",
  input: z.strictObject({
    days: z
      .int()
      .positive()
      .max(366)
      .default(30)
      .describe("How many days to look back, with today; a day is one in UTC."),
  }),
  async run(deps, { days }): Promise<Outcome<OwnCosts>> {
    const now = deps.now();
    const since = dayAfter(dayOf(now), 1 - days);
    const { glances } = await surveyRuns(deps);
    // What waits takes time as well.
    const asked = newestFirst(glances).filter((glance) => isLiveGlance(glance) || dayOf(glance.updatedAt) >= since);
    const counted: (readonly Row[])[] = [];
    for (const glance of asked.slice(0, mostRuns)) {
      const taken = (await takenBy(deps, glance, now)).filter(({ day }) => day >= since);
      counted.push(rowsOf(glance, taken));
    }
    return yes({ ...sumsOf(counted.flat()), leftOut: Math.max(0, asked.length - mostRuns) });
  },
});

async function takenBy(deps: Deps, glance: Glance, now: string): Promise<readonly Taken[]> {
  if (isLiveGlance(glance)) return takenUntil((await digestOf(deps, glance.runId)).taken, now);
  const known = ended.get(glance);
  if (known !== undefined) return known;
  const days = beginDays();
  for await (const { events } of deps.store.read(glance.runId)) for (const event of events) addToDays(days, event);
  const taken = takenUntil(days, now);
  ended.set(glance, taken);
  return taken;
}

/** As long as a journal is unchanged, its glance is the same object. */
const ended = new WeakMap<Glance, readonly Taken[]>();

interface Row extends Taken {
  readonly runId: string;
  readonly workflow: string;
  readonly isFirstDay: boolean;
}

function rowsOf({ runId, workflow }: Glance, taken: readonly Taken[]): readonly Row[] {
  const [first] = taken.map(({ day }) => day).sort();
  return taken.map((each) => ({ ...each, runId, workflow, isFirstDay: each.day === first }));
}

function sumsOf(rows: readonly Row[]): Omit<OwnCosts, "leftOut"> {
  const days = sumBy(
    rows,
    ({ day }) => day,
    ({ isFirstDay }) => isFirstDay,
  );
  return {
    days: days.sort((one, other) => (one.name < other.name ? -1 : 1)),
    workflows: sumBy(rows, ({ workflow }) => workflow),
    steps: sumBy(rows, ({ workflow, step }) => `${workflow}: ${step}`),
    runs: sumBy(rows, ({ runId }) => runId),
  };
}

function sumBy(rows: readonly Row[], nameOf: (row: Row) => string, counts = (_row: Row) => true): Spent[] {
  const seen = new Set<string>();
  return addUp(
    rows.map((row) => {
      const name = nameOf(row);
      const key = `${row.runId} ${name}`;
      const isNew = counts(row) && !seen.has(key);
      if (isNew) seen.add(key);
      return { name, runs: isNew ? 1 : 0, minutes: row.minutes, tokens: row.tokens, cost: row.cost };
    }),
  );
}

/** One row for each name. */
export function addUp(rows: readonly Spent[]): Spent[] {
  const sums = new Map<string, { -readonly [K in keyof Spent]: Spent[K] }>();
  for (const { name, runs, minutes, tokens, cost } of rows) {
    const sum = sums.get(name) ?? { name, runs: 0, minutes: 0, tokens: 0, cost: 0 };
    sums.set(name, sum);
    sum.runs += runs;
    sum.minutes += minutes;
    sum.tokens += tokens;
    sum.cost += cost;
  }
  return [...sums.values()];
}
