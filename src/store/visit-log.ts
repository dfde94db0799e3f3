import { sha256Hex } from "../platform/files.ts";

/** The folder of a run's visit logs, beside its journal. */
export const visitLogFolder = "visits";

/** The log of one visit. Tokens contain slashes, and ids of tasks in any script. */
export function visitLogFile(token: string): string {
  const readable = token.replace(/[^\w.-]+/g, "-").slice(0, 60);
  return `${visitLogFolder}/${readable}-${sha256Hex(token).slice(0, 8)}.jsonl`;
}
