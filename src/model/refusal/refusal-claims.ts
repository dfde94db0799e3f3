import { bare, quote, shellWord } from "../quote.ts";
import { type Next, readStatus, type Wording } from "./wording.ts";

/** The facts of refusals about tasks that several agents work on at the same time. */
export interface ClaimFacts {
  /** `tasks` is set when a person decides, who names a task rather than a token. */
  "visit-ambiguous": { readonly open: readonly string[]; readonly tasks?: readonly string[] };
  /** `free` are the tasks that nobody works on; `perhaps` those that a caller without a session may have claimed. */
  "claim-needed": { readonly free: readonly string[]; readonly perhaps?: readonly string[] };
  "claim-lost": { readonly sent: string };
  /** `elsewhere` is set if whoever has the token is in another clone than the claim, where the gates cannot be checked. */
  "claim-held": {
    readonly task: string;
    readonly by: string | null;
    readonly since: string;
    readonly elsewhere?: true;
  };
  "claim-not-held": { readonly token: string };
  /** `open` are the tasks that are open. */
  "task-not-open": { readonly task: string; readonly open: readonly string[] };
}

export const claimRefusals: { readonly [C in keyof ClaimFacts]: Wording<ClaimFacts[C]> } = {
  "visit-ambiguous": {
    when: "Several visits are open, and neither a token nor the session tells which one is meant.",
    word: (d) =>
      d.tasks === undefined
        ? [
            "several visits are open",
            {
              cli: `name yours with --token: ${d.open.join(", ")}`,
              mcp: `send the token of yours with workflow_advance, or its task with workflow_status: ${d.open.join(", ")}`,
            },
          ]
        : ["it could be about several tasks", `name one with --task: ${d.tasks.map(shellWord).join(", ")}`],
  },
  "claim-needed": {
    when: "Several agents work on the tasks of this loop, and the caller has claimed none.",
    word: (d) => {
      if (d.perhaps !== undefined) return perhapsYours(d.perhaps, d.free);
      return d.free.length === 0
        ? ["you have no task of this loop, and all that are open are taken", later]
        : [
            `you have no task of this loop; nobody works on ${d.free.map(quote).join(", ")}`,
            {
              cli: "claim one with `holdfast next --task <id>`",
              mcp: "claim one: call workflow_status with its id as task",
            },
          ];
    },
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
    when: "Somebody else works on the task, or its gates have to be checked in another clone.",
    word: (d) => {
      const held = `${d.by === null ? "" : ` by session ${d.by}`} since ${minuteOf(d.since)}`;
      const release = `ask a person to run \`holdfast release ${shellWord(d.task)}\``;
      if (d.elsewhere === true) {
        return [
          `the task ${quote(d.task)} was claimed in another clone${held}, and its gates are checked there; nothing was recorded`,
          {
            cli: `advance it there; to go on here, ${release}, then claim it with \`holdfast next --task ${shellWord(d.task)}\``,
            mcp: `advance it there; to go on here, ${release}, then call workflow_status with its id as task`,
          },
        ];
      }
      return [
        `the task ${quote(d.task)} is taken${held}`,
        {
          cli: `take another with \`holdfast next\`, or ${release}`,
          mcp: "call workflow_status without a task to get another",
        },
      ];
    },
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

/** Callers without a session cannot be told apart, so each has to say what is its own. */
function perhapsYours(tokens: readonly string[], free: readonly string[]): [string, Next] {
  const another = free.length === 0 ? "" : `; claim another with \`holdfast next --task <id>\`: ${free.join(", ")}`;
  return [
    `you call without a session, and so did whoever has claimed ${tokens.join(", ")}`,
    {
      cli: `if one is yours, go on with \`holdfast next --token <token>\`${another}. With HOLDFAST_SESSION set, you need no token`,
      mcp: "send the token of yours with workflow_advance",
    },
  ];
}

/** `2026-01-31 12:00 UTC`. */
function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

const later: Next = {
  cli: "if you work on one, name it with --token; else run `holdfast next` in a while, or stop here",
  mcp: "call workflow_status again in a while, or stop here",
};
