import { bare } from "../quote.ts";
import type { RefusalFacts } from "./refusal-facts.ts";
import type { Wording } from "./wording.ts";

export const runRefusals: { readonly "run-ambiguous": Wording<RefusalFacts["run-ambiguous"]> } = {
  "run-ambiguous": {
    when: "Several runs are live and none was named, or several match the name.",
    word: (d) => [
      `${severalRuns(d)}: ${namedRuns(d.runs).join(", ")}`,
      d.runs.length <= mostNamed
        ? { cli: "name one with --run <id>", mcp: "send run_id" }
        : {
            cli: "name one with --run <id>; `holdfast runs` lists them",
            mcp: "send run_id; workflow_list lists the live ones",
          },
    ],
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
export function namedRuns(runs: readonly string[]): readonly string[] {
  if (runs.length <= mostNamed) return runs;
  return [...runs.slice(0, mostNamed), `and ${runs.length - mostNamed} more`];
}
