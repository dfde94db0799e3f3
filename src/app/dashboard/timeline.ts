import * as z from "zod";
import type { RunEvent } from "../../model/event.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import type { Timeline, VisitDetails, VisitRow } from "../../serve/contract/run-answers.ts";
import { digestOf, visitEvents } from "../digest/run-digest.ts";
import { visitName } from "../digest/visit-rows.ts";
import { withoutLongTexts } from "../queries/read-log.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { createSearch, foldCase, longestSearch } from "./search.ts";

const run = z.string().optional().describe("The run; by default the only live one here.");

export const showTimeline = defineOperation({
  summary: "The visits of a run, oldest first, each with its attempts, gates and cost.",
  input: z.strictObject({
    run,
    search: z
      .string()
      .max(longestSearch)
      .optional()
      .describe("Words in the step, task, outcome or output, in any case."),
    from: z.int().nonnegative().default(0).describe("How many visits to pass over."),
    count: z.int().positive().max(1_000).default(100).describe("How many visits to show."),
  }),
  async run(deps, { run: named, search = "", from, count }): Promise<Outcome<Timeline>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId } = chosen.value.run;
    const { rows, seq: lastEvent } = await digestOf(deps, runId);
    const matches = createSearch(search);
    const found = search.trim() === "" ? rows.all : rows.all.filter((row) => matches(searchedText(row)));
    // Copies: an open row changes with the next event.
    const shown = found.slice(from, from + count).map((row) => ({ ...row }));
    return yes({ runId, lastEvent, total: found.length, from, rows: shown });
  },
});

function searchedText({ step, subStep, task, outcome, output }: VisitRow): string {
  return foldCase([step, subStep, task, outcome, output].map((part) => part ?? "").join("\n"));
}

export const showVisit = defineOperation({
  summary: "What happened in one visit of a run, oldest first.",
  input: z.strictObject({
    run,
    token: z.string().describe("The visit, by the token of any of its attempts."),
    after: z.int().nonnegative().default(0).describe("Only events after this one."),
    count: z.int().positive().max(1_000).default(100).describe("How many events to show."),
  }),
  async run(deps, { run: named, token, after, count }): Promise<Outcome<VisitDetails>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId } = chosen.value.run;
    const digest = await digestOf(deps, runId);
    const name = visitName(token);
    const row = digest.rows.all.findLast((each) => visitName(each.token) === name);
    if (row === undefined) return no({ code: "visit-unknown", run: runId, token });
    const events: RunEvent[] = [];
    for await (const event of visitEvents(deps, runId, digest, row, after)) {
      if (events.length === count) return yes({ runId, row: { ...row }, events, next: events.at(-1)?.seq ?? null });
      events.push(withoutLongTexts(event));
    }
    return yes({ runId, row: { ...row }, events, next: null });
  },
});
