// What the dashboard asks for in a large project and of a long run, beside a small project and a short run. One process, as the
// server is one. Started by run.ts.
import { compose } from "../src/app/compose.ts";
import { type OperationName, operations } from "../src/app/operations.ts";
import type { Deps, Outcome } from "../src/operation/operation.ts";
import { longRun } from "./long-run.ts";
import { makeCrowd, removeCrowd } from "./many-runs.ts";
import { caller, makeProject } from "./project.ts";
import { type Aim, median, report, timed } from "./report.ts";

const rounds = Number(process.env.HOLDFAST_BENCH_ROUNDS ?? 15);
const crowds: string[] = [];
const [short, long] = [longRun(1_000), longRun(100_000)];
const { folder, remove } = await makeProject([short, long]);
try {
  process.exitCode = report([...(await measureBoards()), ...(await measureRuns())]) ? 0 : 1;
} finally {
  remove();
  for (const crowd of crowds) removeCrowd(crowd);
}

/** The first screen and the costs, which look at every run. */
async function measureBoards(): Promise<Aim[]> {
  const [few, many] = [await openCrowd(100), await openCrowd(10_000)];
  const boards = await compare({
    "100 runs": () => ask(few, "board"),
    "10,000 runs": () => ask(many, "board"),
  });
  const costs = await compare({
    "100 runs": () => ask(few, "costs", { days: 366 }),
    "10,000 runs": () => ask(many, "costs", { days: 366 }),
  });
  return [
    aimOf("the board of 10,000 runs against that of 100", boards, 50),
    aimOf("the costs of 10,000 runs against those of 100, of which the newest 500 are counted", costs, 50),
  ];
}

async function openCrowd(count: number): Promise<Deps> {
  const crowd = await makeCrowd({ ended: count - 10, live: 10 });
  crowds.push(crowd);
  return compose(crowd, caller);
}

/** A page of the timeline, and what the page of a run asks for, once the server has read the journal. */
async function measureRuns(): Promise<Aim[]> {
  const deps = compose(folder, caller);
  const runPage = (run: string) => async () => {
    await ask(deps, "run-graph", { run });
    await ask(deps, "timeline", { run, from: 0, count: 100 });
    await ask(deps, "run-files", { run });
  };
  const whole = await compare({ "1,000 events": runPage(short.runId), "100,000 events": runPage(long.runId) });
  const page = (run: string, from: number) => () => ask(deps, "timeline", { run, from, count: 100 });
  const { total } = (await page(long.runId, 0)()) as { readonly total: number };
  const pages = await compare({
    first: page(long.runId, 0),
    middle: page(long.runId, Math.floor(total / 2)),
    last: page(long.runId, total - 100),
  });
  const moments = await measureMoments(deps);
  return [
    aimOf(`a page of the timeline of ${total.toLocaleString("en")} visits against the first`, pages, 1.5),
    aimOf("graph, timeline and files of a run of 100,000 events against one of 1,000", whole, 2),
    ...moments,
  ];
}

/** What the slider asks for: the state at an event and its text, and what has changed since. */
async function measureMoments(deps: Deps): Promise<Aim[]> {
  const run = long.runId;
  const { lastEvent } = (await ask(deps, "run-graph", { run })) as { readonly lastEvent: number };
  const at = (part: number) => Math.max(1, Math.floor(part * lastEvent));
  const moment = (event: number) => async () => {
    await ask(deps, "overview", { run, at: event });
    await ask(deps, "handoff", { run, at: event });
  };
  const states = await compare({
    newest: moment(lastEvent),
    first: moment(1),
    "at 33 %": moment(at(0.33)),
    "at 66 %": moment(at(0.66)),
    "at 99 %": moment(at(0.99)),
  });
  const since = (event: number) => () => ask(deps, "diff", { run, from: event, to: lastEvent });
  const changes = await compare({
    "100 events": since(lastEvent - 100),
    "33,000 events": since(lastEvent - 33_000),
    "all events": since(1),
  });
  return [
    aimOf("any moment of a run of 100,000 events against the newest", states, 2),
    aimOf("what has changed in so many events up to now, against the last 100", changes, 2),
  ];
}

async function ask(deps: Deps, name: OperationName, input: object = {}): Promise<unknown> {
  // The input passes the schema of this operation, which the union of all operations cannot express.
  const run = operations[name].run as (deps: Deps, input: object) => Promise<Outcome<unknown>>;
  const outcome = await run(deps, operations[name].input.parse(input));
  if (!outcome.ok) throw new Error(`${name}: ${outcome.refusal.code}`);
  return outcome.value;
}

interface Compared {
  readonly side: string;
  /** In microseconds: the first time, and later ones. */
  readonly first: number;
  readonly times: readonly number[];
}

/** All sides in turns, so that they see the same machine. The first time is the one that reads. */
async function compare(sides: Readonly<Record<string, () => Promise<unknown>>>): Promise<readonly Compared[]> {
  const all = Object.entries(sides).map(([side, act]) => ({ side, act, times: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const { act, times } of all) times.push(await timed(act));
  }
  return all.map(({ side, times: [first = Number.NaN, ...times] }) => ({ side, first, times }));
}

/** The worst of the later sides against the first. */
function aimOf(name: string, [base, ...others]: readonly Compared[], most: number): Aim {
  if (base === undefined) throw new Error("nothing to compare with");
  const ratioOf = ({ times }: Compared) => median(times.map((time, round) => time / (base.times[round] ?? Number.NaN)));
  const millis = (micros: number) => `${(micros / 1_000).toFixed(2)} ms`;
  const rows = [base, ...others].map((each) => [
    each.side,
    millis(each.first),
    millis(median(each.times)),
    ratioOf(each).toFixed(2),
  ]);
  return { name, rows: [["", "first time", "later", "ratio"], ...rows], value: Math.max(...others.map(ratioOf)), most };
}
