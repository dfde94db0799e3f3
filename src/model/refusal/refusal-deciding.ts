import { joinWords } from "../one-of.ts";
import { quote } from "../quote.ts";
import { readStatus, type Wording } from "./wording.ts";

/** The facts of refusals about failures that a person decides. */
export interface DecidingFacts {
  "decision-needed": {
    readonly token: string;
    readonly step: string;
    readonly why: "failed" | "interrupted";
    readonly reason: string;
  };
  "decision-not-pending": { readonly token: string };
  "verdict-unfit": { readonly token: string; readonly verdict: string; readonly fitting: readonly string[] };
  "run-not-ended": { readonly run: string; readonly status: string };
}

export const decidingRefusals: { readonly [C in keyof DecidingFacts]: Wording<DecidingFacts[C]> } = {
  "decision-needed": {
    when: "The visit has failed or was interrupted, and a person must decide how to continue.",
    word: (d) => [
      `the step ${quote(d.step)} ${d.why === "failed" ? "has failed" : "was interrupted"}${d.reason === "" ? "" : ` (${d.reason})`}; a person decides how to continue`,
      {
        cli: "a person must run `holdfast decide` with retry, skip, go_to <step> or abandon",
        mcp: "tell the person to run `holdfast decide retry` (or skip, go_to <step>, abandon) in a terminal and stop; call workflow_status once they have",
      },
    ],
  },
  "decision-not-pending": {
    when: "The visit waits for no decision.",
    word: (d) => [`${d.token} waits for no decision`, readStatus],
  },
  "verdict-unfit": {
    when: "The decision does not fit what the visit waits for: a failure, or a spent budget.",
    word: (d) => [
      `${quote(d.verdict)} does not fit ${d.token}`,
      `decide ${joinWords(d.fitting, "or")}: holdfast decide <decision>`,
    ],
  },
  "run-not-ended": {
    when: "The run to be reopened has not ended.",
    word: (d) => [
      `the run ${d.run} has not ended, it is ${d.status}`,
      "move it with `holdfast goto <step> --reason ...`",
    ],
  },
};
