import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../model/json.ts";
import { valueAt } from "./json-text.ts";

/** How a host starts our MCP server. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that it needs; others may be set, too. */
  readonly env?: Readonly<Record<string, string>>;
}

export const serverName = "holdfast";

/** The state of the entry with our name in the server list of a host. */
export type ServerState = "absent" | "current" | "older" | "foreign";

/** An entry is ours if it runs our shim, or `holdfast mcp` as in the docs. Any other entry is foreign. */
export function serverState(present: unknown, wanted: ServerEntry): ServerState {
  if (present === undefined) return "absent";
  if (!isRecord(present) || !Array.isArray(present.args)) return "foreign";
  const { command, args } = present;
  const needs = Object.entries(wanted.env ?? {});
  const isSet = needs.every(([name, value]) => valueAt(present.env, [name]) === value);
  if (isSet && isDeepStrictEqual({ command, args }, { command: wanted.command, args: wanted.args })) return "current";
  const runsShim = args.some((word) => typeof word === "string" && shimPath.test(word));
  const byHand = command === "holdfast" && isDeepStrictEqual(args, ["mcp"]);
  return runsShim || byHand ? "older" : "foreign";
}

/** In a project, or in the folder of the user's own settings. */
const shimPath = /holdfast[\\/]mcp\.mjs/;

export function foreignNote(file: string): string {
  return `${file} already has another server named "${serverName}"; it was not changed`;
}
