import type { StatusReply } from "../app/runs/reply.ts";
import { type Refusal, wordRefusal } from "../model/refusal/refusal.ts";
import type { Prompt } from "./agents/agent.ts";

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

/** What an agent is asked. One that knows the visit gets only what is new; `more` is what it has to do yet. */
export function promptFor(reply: StatusReply, token: string, occasion: Occasion, more: string | null): Prompt {
  const isKnown = !occasion.isFresh && more !== null;
  return {
    text: paragraphs(isKnown ? toldText(occasion.told) : promptOf(reply, occasion), more ?? ""),
    visit: {
      token,
      step: reply.step,
      instructions: paragraphs(requestText(reply, occasion), workText(reply)),
      recap: reply.recap ?? "",
      again: occasion.isAgain ? interrupted : "",
      told: occasion.told.map(toldWords),
      more: more ?? "",
    },
  };
}

/** The prompt of a visit: its instructions and rules, exactly as an interactive agent gets them, and before them the handoff. */
function promptOf(reply: StatusReply, occasion: Occasion): string {
  const { runId, recap = "" } = reply;
  const isNeeded = occasion.isFresh && recap !== "";
  const handoff = isNeeded ? `<holdfast run="${runId}">\n${middle}\n\n${recap}\n</holdfast>` : "";
  const asked = occasion.isFresh ? requestText(reply, occasion) : "";
  return paragraphs(handoff, asked, newsText(occasion), workText(reply));
}

function requestText({ instructions }: StatusReply, { request = "" }: Occasion): string {
  return request === "" || instructions.includes(request) ? "" : `What the person asked for:\n${request}`;
}

function workText({ instructions, rules = "", artifacts = "", note = "", todo = "" }: StatusReply): string {
  return paragraphs(instructions, rules, [note, todo].filter(Boolean).join("\n"), artifacts);
}

/** What an agent in the middle of a visit does not know yet. */
function newsText({ isAgain, told }: Occasion): string {
  return paragraphs(isAgain ? interrupted : "", toldText(told));
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function toldText(told: readonly string[]): string {
  return paragraphs(...told.map(toldWords));
}

function toldWords(text: string): string {
  return `A person tells you:\n${text}`;
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
  const why =
    problem === null ? "You have ended your turn without a result." : `Your result cannot be used:\n${problem}`;
  return paragraphs(why, `If the work of this visit is done, ${how}. Change nothing else.`);
}
