import { quote } from "../quote.ts";
import type { Wording } from "./wording.ts";

/** The facts of refusals about tracked workflows, which have a state card but no run. */
export interface TrackingFacts {
  "tracked-unknown": { readonly workflow: string | null; readonly known: readonly string[] };
  "tracked-ambiguous": { readonly workflows: readonly string[] };
  "tracked-exists": { readonly workflow: string; readonly where: string };
  "tracking-off": { readonly what: string };
}

export const trackingRefusals: { readonly [C in keyof TrackingFacts]: Wording<TrackingFacts[C]> } = {
  "tracked-unknown": {
    when: "No workflow with that name is tracked, or none at all.",
    word: (d) => [
      d.workflow === null ? "no workflow is tracked here" : `no workflow ${quote(d.workflow)} is tracked here`,
      d.known.length === 0
        ? 'start one: holdfast track start "My workflow" --phase 1/3'
        : `use one of ${d.known.map(quote).join(", ")}`,
    ],
  },
  "tracked-ambiguous": {
    when: "Several workflows are tracked and none was named.",
    word: (d) => [
      `several workflows are tracked: ${d.workflows.map(quote).join(", ")}`,
      "name one with --workflow NAME",
    ],
  },
  "tracked-exists": {
    when: "The workflow to be started is already tracked.",
    word: (d) => [
      `the workflow ${quote(d.workflow)} is already tracked, at ${d.where}`,
      "continue it with `holdfast track phase`, or end it first with `holdfast track complete`",
    ],
  },
  "tracking-off": {
    when: "The project's settings turn off what tracked workflows need.",
    word: (d) => [`${d.what} are turned off in this project`, "turn them on in .holdfast/config.yaml"],
  },
};
