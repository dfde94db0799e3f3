import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import * as z from "zod";
import { describeIssue } from "./describe-issue.ts";

const page = z.looseObject({ cursor: z.string().optional() }).optional();

/** The parameters of the requests that the SDK itself checks: it answers a wrong one as an error of the server. */
const params: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["prompts/get", z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() })],
  ["resources/read", z.looseObject({ uri: z.string() })],
  ...["tools", "prompts", "resources", "resources/templates"].map((list) => [`${list}/list`, page] as const),
]);

/** What is wrong with the parameters of a request; null if nothing is, or if its handler finds out. */
export function paramsProblem(message: JSONRPCMessage): string | null {
  if (!("method" in message && "id" in message)) return null;
  const [issue] = params.get(message.method)?.safeParse(message.params).error?.issues ?? [];
  return issue === undefined ? null : describeIssue(issue, message.params, []);
}
