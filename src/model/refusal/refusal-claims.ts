import { bare, quote } from "../quote.ts";
import { type Next, readStatus, type Wording } from "./wording.ts";

/** The facts of refusals about tasks that several agents work on at the same time. */
export interface ClaimFacts {
  "visit-ambiguous": { readonly open: readonly string[] };
  /** `free` are the tasks that nobody works on. */
  "claim-needed": { readonly free: readonly string[] };
  "claim-lost": { readonly sent: string };
  "claim-held": { readonly task: string; readonly by: string | null; readonly since: string };
  "claim-not-held": { readonly token: string };
  /** `open` are the tasks that are open. */
  "task-not-open": { readonly task: string; readonly open: readonly string[] };
}

export const claimRefusals: { readonly [C in keyof ClaimFacts]: Wording<ClaimFacts[C]> } = {
  "visit-ambiguous": {
    when: "Several visits are open, and neither a token nor the session tells which one is meant.",
    word: (d) => [
      "several visits are open",
      { cli: `name yours with --token: ${d.open.join(", ")}`, mcp: `send the token of yours: ${d.open.join(", ")}` },
    ],
  },
  "claim-needed": {
    when: "Several agents work on the tasks of this loop, and the caller has claimed none.",
    word: (d) =>
      d.free.length === 0
        ? ["you have no task of this loop, and all that are open are taken", later]
        : [
            `you have no task of this loop; nobody works on ${d.free.map(quote).join(", ")}`,
            {
              cli: "claim one with `holdfast next --task <id>`",
              mcp: "claim one: call workflow_status with its id as task",
            },
          ],
  },
  "claim-lost": {
    when: "The token belongs to a claim that was lost or released, so somebody else may work on the task.",
    word: (d) => [
      `${bare(d.sent)} belongs to a claim that you no longer have; nothing was recorded`,
      {
        cli: "stop working on that task; `holdfast next` gives you another",
        mcp: "stop working on that task and change nothing more for it; workflow_status gives you another",
      },
    ],
  },
  "claim-held": {
    when: "Somebody else works on the task.",
    word: (d) => [
      `the task ${quote(d.task)} is taken${d.by === null ? "" : ` by session ${d.by}`} since ${d.since}`,
      {
        cli: "take another with `holdfast next`, or let a person give it up: holdfast release <task>",
        mcp: "call workflow_status without a task to get another",
      },
    ],
  },
  "claim-not-held": {
    when: "Nobody works on the task that is to be released.",
    word: (d) => [`nobody works on ${d.token}`, readStatus],
  },
  "task-not-open": {
    when: "The task is not one of those that are open now.",
    word: (d) => [
      `the task ${quote(d.task)} is not open`,
      d.open.length === 0 ? readStatus : `open are ${d.open.map(quote).join(", ")}`,
    ],
  },
};

const later: Next = {
  cli: "if you work on one, name it with --token; else run `holdfast next` in a while, or stop here",
  mcp: "call workflow_status again in a while, or stop here",
};
