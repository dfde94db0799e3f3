import * as z from "zod";
import { type Board, showBoard } from "../../app/dashboard/board.ts";
import { addUp, showCosts } from "../../app/dashboard/costs.ts";
import { showInbox } from "../../app/dashboard/inbox.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Deps, Outcome } from "../../operation/operation.ts";
import type { Column, Costs, InboxItem, RunCard, RunsPage } from "../contract/contract.ts";
import { refusalProblem } from "../http/problem.ts";
import { type InputSchema, schemaOf, usage } from "./input.ts";
import type { Projects } from "./projects.ts";

/** The runs of all projects, or of one, newest first. */
export async function runsAcross(projects: Projects, given: object): Promise<RunsPage> {
  const { project, from, count, ...asked } = parse(RunsInput, given);
  const opened = openedIn(projects, project);
  const isOne = opened.length === 1;
  // A page of all projects can have its runs from any of them.
  const part = isOne ? { from, count } : { from: 0, count: Math.min(from + count, mostCards) };
  const boards = await fromEach(opened, async ({ id, deps }) => {
    return { id, board: wantedOf(await showBoard.run(deps, { ...asked, ...part })) };
  });
  const cards = boards
    .flatMap(({ id, board }) => board.cards.map((card): RunCard => ({ ...card, project: id })))
    .sort((one, other) => compare(other.updatedAt, one.updatedAt));
  return {
    counts: sumOf(boards.map(({ board }) => board)),
    total: boards.reduce((sum, { board }) => sum + board.total, 0),
    from,
    cards: isOne ? cards : cards.slice(from, from + count),
    damaged: boards.flatMap(({ id, board }) => board.damaged.map((run) => ({ ...run, project: id }))),
    teams: boards.flatMap(({ id, board }) => (board.team === null ? [] : [{ ...board.team, project: id }])),
  };
}

/** What waits for a person in all projects, oldest first. */
export async function inboxAcross(projects: Projects): Promise<readonly InboxItem[]> {
  const inboxes = await fromEach(openedIn(projects), async ({ id, deps }) =>
    wantedOf(await showInbox.run(deps, {})).items.map((item): InboxItem => ({ ...item, project: id })),
  );
  return inboxes.flat().sort((one, other) => compare(one.since, other.since));
}

/** What the runs of all projects, or of one, have taken. */
export async function costsAcross(projects: Projects, given: object): Promise<Costs> {
  const { project, ...input } = parse(CostsInput, given);
  const parts = await fromEach(openedIn(projects, project), async ({ id, deps }) => {
    return { id, costs: wantedOf(await showCosts.run(deps, input)) };
  });
  const all = parts.map(({ costs }) => costs);
  return {
    days: addUp(all.flatMap(({ days }) => days)).sort((one, other) => compare(one.name, other.name)),
    workflows: addUp(all.flatMap(({ workflows }) => workflows)),
    steps: addUp(all.flatMap(({ steps }) => steps)),
    runs: parts.flatMap(({ id, costs }) => costs.runs.map((run) => ({ ...run, project: id }))),
    leftOut: all.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** As many as a board shows at most. */
const mostCards = 10_000;

const RunsInput = showBoard.input.extend({
  project: z.string().optional().describe("Only the runs of this project."),
});

const CostsInput = showCosts.input.extend({
  project: z.string().optional().describe("Only what the runs of this project have taken."),
});

export function runsSchema(): InputSchema {
  return schemaOf(RunsInput);
}

export function costsSchema(): InputSchema {
  return schemaOf(CostsInput);
}

/** How many runs each project has in each column. */
export async function countRuns(projects: Projects): Promise<Readonly<Record<Column, number>>> {
  const boards = await fromEach(openedIn(projects), async ({ deps }) =>
    wantedOf(await showBoard.run(deps, { from: 0, count: 1 })),
  );
  return sumOf(boards);
}

interface Opened {
  readonly id: string;
  readonly deps: Deps;
}

/** Those that can be read; the list of projects tells what is wrong with the others. */
function openedIn(projects: Projects, only?: string): readonly Opened[] {
  if (only !== undefined) return [{ id: only, deps: projects.open(only) }];
  const readable = projects.list().filter(({ problem }) => problem === null);
  return readable.map(({ id }) => ({ id, deps: projects.open(id) }));
}

/** What each project answers. One of several that cannot be read hides no other: asked for alone, it tells what is wrong. */
async function fromEach<T>(opened: readonly Opened[], ask: (project: Opened) => Promise<T>): Promise<T[]> {
  const answers = opened.map(async (project) => {
    try {
      return [await ask(project)];
    } catch (error) {
      if (isHoldfastError(error) && opened.length > 1) return [];
      throw error;
    }
  });
  return (await Promise.all(answers)).flat();
}

function sumOf(boards: readonly Board[]): Readonly<Record<Column, number>> {
  const sum = { "needs-you": 0, working: 0, waiting: 0, done: 0, failed: 0 };
  for (const { counts } of boards) {
    for (const column of Object.keys(sum) as Column[]) sum[column] += counts[column];
  }
  return sum;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function parse<T extends z.ZodType>(schema: T, given: object): z.infer<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw usage(`${issue?.path.join(".") || "the query"}: ${issue?.message ?? "is not valid"}`);
}

function wantedOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalProblem(outcome.refusal);
}
