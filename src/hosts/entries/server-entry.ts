import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../model/json.ts";

/** How a host starts our MCP server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

export const serverName = "holdfast";

/** The state of the entry with our name in the server list of a host. */
export type ServerState = "absent" | "current" | "older" | "foreign";

/** An entry is ours if it runs our shim, or `holdfast mcp` as in the docs. Any other entry is foreign. */
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
  return `${file} already has another server named "${serverName}"; it was not changed`;
}
