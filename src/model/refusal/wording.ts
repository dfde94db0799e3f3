import { shellWord } from "../quote.ts";

/** Who reads a refusal: a person or agent on the command line, or an agent that calls tools over MCP. */
export type Face = "cli" | "mcp";

/** What to do next: one text for both faces, or one that names commands and one that names tools. */
export type Next = string | Readonly<Record<Face, string>>;

/** One refusal in words: when it occurs (for the reference), what happened, and what to do next. */
export interface Wording<Facts> {
  readonly when: string;
  word(facts: Facts): readonly [message: string, next: Next];
}

export const readStatus: Next = { cli: "run `holdfast status` to see the run", mcp: "call workflow_status" };

export const retryFromStatus: Next = {
  cli: "run `holdfast status`, then try again",
  mcp: "call workflow_status, then try again",
};

/** How a person names the task in a command, where several agents work on a loop. */
export function ofTask({ task }: { readonly task?: string }): string {
  return task === undefined ? "" : ` --task ${shellWord(task)}`;
}
