import { quote } from "../quote.ts";
import type { Wording } from "./wording.ts";

/** The facts of refusals about runs that Holdfast drives. */
export interface DrivingFacts {
  "run-driven": { readonly run: string; readonly agent: string; readonly since: string };
  "driven-here": { readonly run: string };
  "workflow-live": { readonly workflow: string; readonly run: string };
  "visit-not-logged": { readonly run: string; readonly token: string };
  "visit-unknown": { readonly run: string; readonly token: string };
  "agent-unfit": { readonly agent: string; readonly problem: string; readonly next: string };
}

export const drivingRefusals: { readonly [C in keyof DrivingFacts]: Wording<DrivingFacts[C]> } = {
  "run-driven": {
    when: "Another `holdfast run` drives the run.",
    word: (d) => [
      `another \`holdfast run\` has been driving ${d.run} with ${quote(d.agent)} since ${d.since}`,
      `stop it with Ctrl-C, or watch the run: holdfast log --follow --run ${d.run}`,
    ],
  },
  "driven-here": {
    when: "An agent that `holdfast run` drives tried to start a run.",
    word: (d) => [`\`holdfast run\` drives you through ${d.run}, so you cannot start a run`, "finish your visit"],
  },
  "workflow-live": {
    when: "`holdfast run` was asked to start a workflow that has a live run here.",
    word: (d) => [
      `${quote(d.workflow)} has a live run here: ${d.run}`,
      `go on with it: holdfast run --resume ${d.run}; or start another one with --new`,
    ],
  },
  "visit-not-logged": {
    when: "There is no log of that visit: `holdfast run` did not drive it, or the log was removed to make room.",
    word: (d) => [`there is no log of the visit ${quote(d.token)}`, `see its visits: holdfast log --run ${d.run}`],
  },
  "visit-unknown": {
    when: "The run has had no visit with that token.",
    word: (d) => [
      `${d.run} has had no visit with the token ${quote(d.token)}`,
      `see its visits: holdfast log --run ${d.run}`,
    ],
  },
  "agent-unfit": {
    when: "The agent cannot be used for `holdfast run`, or not with these options.",
    word: (d) => [`the agent ${quote(d.agent)} cannot be used: ${d.problem}`, d.next],
  },
};
