import { type ClaudeScript, claudeAnswering } from "./claude-answers.ts";
import type { ClaudeRequest } from "./claude-request.ts";
import { serveLoopback } from "./loopback.ts";

export interface ClaudeModel {
  readonly url: string;
  /** Every request for a message so far, in order of arrival. */
  readonly requests: readonly ClaudeRequest[];
}

/** A model on loopback that answers Claude Code as the script says, until the test ends. */
export async function startClaudeModel(script: ClaudeScript): Promise<ClaudeModel> {
  const requests: ClaudeRequest[] = [];
  return { url: await serveLoopback(claudeAnswering(script, requests)), requests };
}
