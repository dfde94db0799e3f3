import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { isLiveStanding } from "../../journal/run-journal.ts";
import { type Glance, glanceOf } from "../../journal/stored-runs.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { findRun, isLiveGlance, loadLive, newestFirst, surveyRuns } from "../runs/choose-run.ts";
import { type Column, columns, elsewhereCard, endedCard, liveCard, type RunCard } from "./run-card.ts";
import { createSearch, foldCase, longestSearch } from "./search.ts";
import { type TeamRuns, teamRuns } from "./team-runs.ts";

export interface Board {
  readonly counts: Readonly<Record<Column, number>>;
  readonly total: number;
  readonly from: number;
  readonly cards: readonly RunCard[];
  readonly damaged: readonly { readonly runId: string; readonly problem: string; readonly next: string }[];
  /** Null if runs are in files. */
  readonly team: TeamRuns["list"] | null;
}

export const showBoard = defineOperation({
  summary: "The runs of this project as cards, by what they wait for, newest first.",
  input: z.strictObject({
    search: z
      .string()
      .max(longestSearch)
      .optional()
      .describe("Words in the id, workflow, summary or step, in any case."),
    column: z.enum(columns).optional().describe("Only this column; the counts are of all."),
    from: z.int().nonnegative().default(0).describe("How many cards to pass over."),
    count: z.int().positive().max(10_000).default(100).describe("How many cards to show."),
  }),
  async run(deps, { search = "", column, from, count }): Promise<Outcome<Board>> {
    const { glances, damaged } = await surveyRuns(deps);
    const team = await teamRuns(deps);
    const elsewhere = new Set(team?.elsewhere);
    const matches = createSearch(search);
    const isFound = (glance: Glance) => search === "" || matches(remembered(searched, glance, searchedText));
    const found = newestFirst([...glances.toReversed(), ...elsewhere]).filter(isFound);
    const live = new Map(
      (
        await loadLive(
          deps,
          found.filter((glance) => isLiveGlance(glance) && !elsewhere.has(glance)),
        )
      ).map((each) => [each.run.runId, each]),
    );
    const counts: Record<Column, number> = { "needs-you": 0, working: 0, waiting: 0, done: 0, failed: 0 };
    const cards: RunCard[] = [];
    for (const glance of found) {
      const card = elsewhere.has(glance) ? elsewhereCard(glance) : cardOf(deps, glance, live);
      if (card === null) continue;
      counts[card.column] += 1;
      if (column === undefined || card.column === column) cards.push(card);
    }
    return yes({
      counts,
      total: cards.length,
      from,
      cards: cards.slice(from, from + count),
      damaged: damaged.map(({ runId, error }) => ({ runId, problem: error.message, next: error.next })),
      team: team?.list ?? null,
    });
  },
});

type Live = ReadonlyMap<string, Awaited<ReturnType<typeof loadLive>>[number]>;

/** Null for a run that has ended since its glance was taken: the next look shows it. */
function cardOf(deps: Deps, glance: Glance, live: Live): RunCard | null {
  if (!isLiveGlance(glance)) return remembered(cards, glance, endedCard);
  const standing = live.get(glance.runId);
  return standing === undefined ? null : liveCard(deps, standing);
}

/** As long as a journal is unchanged, its glance is the same object, so a server works out only what is new. */
const cards = new WeakMap<Glance, RunCard>();
const searched = new WeakMap<Glance, string>();

function remembered<V>(memory: WeakMap<Glance, V>, glance: Glance, derive: (glance: Glance) => V): V {
  const known = memory.get(glance);
  if (known !== undefined) return known;
  const value = derive(glance);
  memory.set(glance, value);
  return value;
}

function searchedText({ runId, workflow, summary, step }: Glance): string {
  return foldCase([runId, workflow, summary ?? "", step].join("\n"));
}

/** The card of one run and the number of its last event; null if it cannot be read. */
export async function cardOfRun(
  deps: Deps,
  runId: string,
): Promise<{ readonly card: RunCard; readonly lastEvent: number } | null> {
  try {
    const found = await findRun(deps, runId);
    if (!found.ok) return null;
    const standing = found.value;
    const card = isLiveStanding(standing) ? liveCard(deps, standing) : endedCard(glanceOf(standing));
    return { card, lastEvent: standing.run.seq };
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}
