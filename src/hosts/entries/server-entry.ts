import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../model/json.ts";

/** How a host starts our MCP server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

export const serverName = "holdfast";

/** What is in a host's list of servers under our name. */
export type ServerState = "absent" | "current" | "older" | "foreign";

/** One that runs our shim, or the program as the guide has it, is ours; whatever else someone wrote there is theirs. */
export function serverState(present: unknown, wanted: ServerEntry): ServerState {
  if (present === undefined) return "absent";
  if (!isRecord(present) || !Array.isArray(present.args)) return "foreign";
  const { command, args } = present;
  if (isDeepStrictEqual({ command, args }, wanted)) return "current";
  const runsShim = args.some((word) => typeof word === "string" && word.includes(".holdfast/mcp.mjs"));
  const byHand = command === "holdfast" && isDeepStrictEqual(args, ["mcp"]);
  return runsShim || byHand ? "older" : "foreign";
}

export function foreignNote(file: string): string {
  return `${file} has a server "${serverName}" of its own; it is left as it is`;
}
