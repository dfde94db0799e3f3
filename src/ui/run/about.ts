import type { LiveMessage } from "../../serve/contract/contract.ts";

/** Whether something about this run may have changed. */
export function isAbout(message: LiveMessage, project: string, run: string): boolean {
  if (message.type === "reset") return true;
  const about = message.type === "run" ? message.card : message;
  return about.runId === run && about.project === project;
}
