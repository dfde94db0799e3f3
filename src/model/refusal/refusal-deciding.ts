import { inOneLine, joinWords, quote } from "../quote.ts";
import { ofTask, readStatus, type Wording } from "./wording.ts";

/** The facts of refusals about commands as steps, and about failures that a person decides. */
export interface DecidingFacts {
  "decision-needed": {
    readonly token: string;
    /** Set where several agents work on a loop. */
    readonly task?: string;
    readonly step: string;
    readonly why: "failed" | "interrupted";
    readonly reason: string;
  };
  "decision-not-pending": { readonly token: string };
  "verdict-unfit": { readonly token: string; readonly verdict: string; readonly fitting: readonly string[] };
  "step-running": { readonly token: string; readonly step: string; readonly seconds: number };
  "command-step": { readonly token: string; readonly step: string };
  "run-not-ended": { readonly run: string; readonly status: string };
}

export const decidingRefusals: { readonly [C in keyof DecidingFacts]: Wording<DecidingFacts[C]> } = {
  "decision-needed": {
    when: "The visit has failed or was interrupted, and a person must decide how to continue.",
    word: (d) => [
      `the step ${quote(d.step)} ${d.why === "failed" ? "has failed" : "was interrupted"}${d.reason === "" ? "" : ` (${inOneLine(d.reason)})`}; a person decides how to continue`,
      {
        cli: `a person must run \`holdfast decide${ofTask(d)}\` with retry, skip, go_to <step> or abandon`,
        mcp: `tell the person to run \`holdfast decide retry${ofTask(d)}\` (or skip, go_to <step>, abandon) in a terminal and stop; call workflow_status once they have`,
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
  "step-running": {
    when: "The command of the step is still running, here or in another process.",
    word: (d) => [
      `the command of the step ${quote(d.step)} is still running (${d.seconds} s so far)`,
      {
        cli: "run `holdfast next` in a while to get the result",
        mcp: "call workflow_status again in a while to get the result",
      },
    ],
  },
  "command-step": {
    when: "Holdfast carries out the step itself (a command, or the source of the tasks of a loop), so an agent has nothing to finish there.",
    word: (d) => [
      `Holdfast carries out the step ${quote(d.step)} itself; nothing was recorded`,
      {
        cli: "run `holdfast next`: it does that and prints what follows",
        mcp: "call workflow_status: it does that and returns what follows",
      },
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
