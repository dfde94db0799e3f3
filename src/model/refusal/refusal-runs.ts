import { bare, inOneLine } from "../quote.ts";
import type { RefusalFacts } from "./refusal-facts.ts";
import { readStatus, type Wording } from "./wording.ts";

/** A run that nobody has worked on from this clone is meant only where it is named. */
const nameOfTeam = {
  cli: "name a run of the team with --run <id>: `holdfast runs` lists them",
  mcp: "send the id of a run of the team as run_id: a person lists them with `holdfast runs`",
};

type RunCode = "run-unknown" | "run-ambiguous" | "run-live" | "run-paused" | "run-not-paused";

export const runRefusals: { readonly [C in RunCode]: Wording<RefusalFacts[C]> } = {
  "run-unknown": {
    when: "There is no run with that id or name, or no live run at all.",
    word: (d) =>
      d.run === null
        ? [
            `there is no live run here${d.tracked === undefined ? "" : "; runs that came with the repository are not used (see `holdfast runs`)"}`,
            {
              cli: d.shared
                ? `start one with \`holdfast start <workflow>\`, or ${nameOfTeam.cli}`
                : "start one with `holdfast start <workflow>`, or list the ended runs with `holdfast runs`",
              mcp: `if the person wants a workflow, start one with workflow_start; workflow_list shows what there is${d.shared ? `; or ${nameOfTeam.mcp}` : ""}`,
            },
          ]
        : [
            `there is no run ${bare(d.run)} here`,
            d.shared
              ? nameOfTeam
              : { cli: "list the runs with `holdfast runs`", mcp: "list the live runs with workflow_list" },
          ],
  },
  "run-ambiguous": {
    when: "Several runs are live and none was named, or several match the name.",
    word: (d) => [
      `${severalRuns(d)}: ${namedRuns(d.runs, d.atLeast).join(", ")}`,
      d.runs.length <= mostNamed
        ? { cli: "name one with --run <id>", mcp: "send run_id" }
        : {
            cli: "name one with --run <id>; `holdfast runs` lists them",
            mcp: "send run_id; workflow_list lists the live ones",
          },
    ],
  },
  "run-live": {
    when: "The run to be removed is still live.",
    word: (d) => [`the run ${d.run} is still live`, `end it first: holdfast abort --run ${d.run}`],
  },
  "run-paused": {
    when: "The run is paused.",
    word: (d) => [
      `the run is paused${d.reason === null ? "" : `: ${inOneLine(d.reason)}`}`,
      "a person must run: holdfast resume",
    ],
  },
  "run-not-paused": {
    when: "The run to be resumed is not paused.",
    word: (d) => [`the run is not paused, it is ${d.status}`, readStatus],
  },
};

/** Why no single run was meant. */
export function severalRuns({ named, ended }: RefusalFacts["run-ambiguous"]): string {
  if (named !== undefined) return `several runs match ${bare(named)}`;
  return ended ? "several runs have ended" : "several runs are live";
}

/** A person or an agent is shown no more runs than these at once. */
const mostNamed = 5;

/** The first few runs, and how many more there are. */
export function namedRuns(runs: readonly string[], atLeast = false): readonly string[] {
  if (runs.length <= mostNamed) return runs;
  return [...runs.slice(0, mostNamed), `and ${atLeast ? "at least " : ""}${runs.length - mostNamed} more`];
}
