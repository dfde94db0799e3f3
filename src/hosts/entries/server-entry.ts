import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../model/json.ts";
import { valueAt } from "./json-text.ts";

/** How a host starts our MCP server. */
export interface ServerEntry {
  readonly type?: string;
  /** The program, in some hosts with its arguments. */
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
  /** Variables that it needs; others may be set, too. */
  readonly env?: Readonly<Record<string, string>>;
}

export const serverName = "holdfast";

/** The state of the entry with our name in the server list of a host. */
export type ServerState = "absent" | "current" | "older" | "foreign";

/** An entry is ours if it runs our shim, or `holdfast mcp` as in the docs. Any other entry is foreign. */
export function serverState(present: unknown, wanted: ServerEntry): ServerState {
  if (present === undefined) return "absent";
  if (!isRecord(present)) return "foreign";
  const { env = {}, ...rest } = wanted;
  const isSet = Object.entries(env).every(([name, value]) => valueAt(present.env, [name]) === value);
  if (isSet && Object.entries(rest).every(([key, value]) => isDeepStrictEqual(present[key], value))) return "current";
  return isByHand(present) || wordsOf(present).some((word) => shimPath.test(word)) ? "older" : "foreign";
}

/** Whether a person wrote the entry, as in the docs: it needs none of our files, and comes back when ours goes. */
export function isByHand(entry: unknown): boolean {
  return isDeepStrictEqual(wordsOf(entry), ["holdfast", "mcp"]);
}

function wordsOf(entry: unknown): string[] {
  const { command, args } = isRecord(entry) ? entry : {};
  return [command, args].flat().filter((word) => typeof word === "string");
}

/** In a project, or in the folder of the user's own settings. */
const shimPath = /holdfast[\\/]mcp\.mjs/;

export function foreignNote(file: string): string {
  return `${file} already has another server named "${serverName}"; it was not changed`;
}
