import type { StatusReply } from "../app/runs/reply.ts";
import { type Refusal, wordRefusal } from "../model/refusal/refusal.ts";

/** What a prompt says beside the visit's instructions. */
export interface Occasion {
  /** The agent knows nothing of the run: it gets the handoff. */
  readonly isFresh: boolean;
  /** An earlier attempt at this visit has broken off. */
  readonly isAgain: boolean;
  /** What the person asked for; the instructions of many workflows do not repeat it. */
  readonly request: string | undefined;
  /** What people have told the agent since its last turn. */
  readonly told: readonly string[];
}

/** The prompt of a visit: its instructions and rules, exactly as an interactive agent gets them, and before them the handoff. */
export function promptOf(reply: StatusReply, { isFresh, isAgain, request = "", told }: Occasion): string {
  const { runId, recap = "", instructions, rules = "", artifacts = "", note = "", todo = "" } = reply;
  return [
    isFresh && recap !== "" ? `<holdfast run="${runId}">\n${middle}\n\n${recap}\n</holdfast>` : "",
    isFresh && request !== "" && !instructions.includes(request) ? `What the person asked for:\n${request}` : "",
    isAgain ? interrupted : "",
    toldText(told),
    instructions,
    rules,
    [note, todo].filter(Boolean).join("\n"),
    artifacts,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

export function toldText(told: readonly string[]): string {
  return told.map((text) => `A person tells you:\n${text}`).join("\n\n");
}

const middle = "You are in the middle of a workflow. It continues where it left off; do not start over.";
const interrupted =
  "The last attempt at this visit was interrupted; the tree may hold unfinished changes. Look before you go on.";

/** What the agent is told when the visit could not end as it asked. */
export function refusedPrompt(refusal: Refusal, how: string): string {
  const { message } = wordRefusal(refusal, "mcp");
  return `The visit is not done yet: ${message}\n\nFix this, then ${how}.`;
}

/** Asks once for a result that a program can read. */
export function resultPrompt(how: string, problem: string | null): string {
  return `${problem === null ? "You have ended your turn without a result" : `Your result cannot be used: ${problem}`}. If the work of this visit is done, ${how}. Change nothing else.`;
}
