import type { Tool } from "@modelcontextprotocol/client";
import { isRecord } from "../../model/json.ts";
import { truncateHead } from "../../model/truncate.ts";
import { replaceUnseen } from "../../model/written/unseen-text.ts";
import { shortSha256 } from "../../platform/short-sha256.ts";

/** A tool of a server, as models get it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** As the server declares it. */
  readonly effect: "reads" | "runs";
  readonly server: string;
  readonly definition: Tool;
}

/** Why servers cannot be used, and what to do about it. */
export interface McpProblem {
  readonly problem: string;
  readonly next: string;
}

export interface ToolList {
  readonly server: string;
  readonly tools: readonly Tool[];
}

/** What the tools of servers have to fit into. */
export interface OfferLimits {
  /** The names of Holdfast's own tools. */
  readonly own: readonly string[];
  readonly deny: readonly string[];
  /** How many characters the definitions of all these tools may have together. */
  readonly characters: number;
}

/** A provider takes no more than this, Holdfast's own included. */
const mostTools = 128;
const longestName = 64;
/** OpenAI refuses a longer one. */
const longestDescription = 1_024;
const deepest = 50;

/** The tools in an order that is always the same, or why there are none. */
export function offerTools(lists: readonly ToolList[], limits: OfferLimits): readonly McpTool[] | McpProblem {
  const isDenied = namesTool(limits.deny);
  const tools: McpTool[] = [];
  for (const { name, server, definition } of namedTools(lists, limits.own)) {
    if (isDenied(name, server, definition.name)) continue;
    const inputSchema = schemaFor(definition);
    if (typeof inputSchema === "string") return { problem: `the tool ${name} ${inputSchema}`, next: leaveOut(name) };
    const description = truncateHead(visible(definition.description ?? definition.title ?? ""), longestDescription);
    const effect = definition.annotations?.readOnlyHint === true ? "reads" : "runs";
    tools.push({ name, description, inputSchema, effect, server, definition });
  }
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  return excess(tools, limits) ?? tools;
}

type NamedTool = Pick<McpTool, "name" | "server" | "definition">;

/** Every tool under a name that no other has. A server that lists one twice has it once. */
function namedTools(lists: readonly ToolList[], own: readonly string[]): readonly NamedTool[] {
  const found = lists.flatMap(({ server, tools }) => {
    const unique = new Map(tools.map((definition) => [definition.name, definition]));
    return [...unique.values()].map((definition) => ({ name: plainName(server, definition.name), server, definition }));
  });
  const counts = new Map(own.map((name) => [name, 1]));
  for (const { name } of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return found.map(({ name, server, definition }) => {
    const isFine = counts.get(name) === 1 && name.length <= longestName;
    return { name: isFine ? name : distinctName(name, server, definition.name), server, definition };
  });
}

/** Whether a list names a tool: by our name for it, as `mcp__<server>__<tool>`, or with its whole server as `mcp__<server>`. */
export function namesTool(entries: readonly string[]) {
  const all = new Set(entries);
  return (name: string, server: string, tool: string): boolean =>
    [name, `mcp__${server}__${tool}`, `mcp__${server}`, `mcp__${server}__*`].some((known) => all.has(known));
}

function plainName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_");
}

/** The same in every run, whatever other tools there are. */
function distinctName(wanted: string, server: string, tool: string): string {
  return `${wanted.slice(0, longestName - 9)}_${shortSha256(`${server}\0${tool}`).slice(0, 8)}`;
}

function visible(text: string): string {
  return replaceUnseen(text, () => "").trim();
}

/** What every provider takes as the schema of a tool's input, or why that cannot be. */
function schemaFor({ inputSchema }: Tool): Record<string, unknown> | string {
  // Providers refuse combinations at the top. The server checks its input itself.
  const { $schema: _, anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...schema } = inputSchema;
  const cleaned = cleanSchema(schema, 0);
  if (!isRecord(cleaned)) return "has an input schema that is nested too deeply";
  const properties = isRecord(cleaned.properties) ? cleaned.properties : {};
  const odd = Object.keys(properties).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  if (odd !== undefined) return `has a parameter ${JSON.stringify(visible(odd))}, a name that providers refuse`;
  return { ...cleaned, type: "object", properties };
}

/** Null if it is too deep. */
function cleanSchema(value: unknown, depth: number): unknown {
  if (depth > deepest) return null;
  if (typeof value === "string") return value.replace(/\p{Cs}/gu, "\ufffd");
  if (Array.isArray(value)) {
    const parts = value.map((part) => cleanSchema(part, depth + 1));
    return parts.some((part, index) => part === null && value[index] !== null) ? null : parts;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => {
    const isText = (name === "description" || name === "title") && typeof part === "string";
    return [name, isText ? visible(part) : cleanSchema(part, depth + 1)] as const;
  });
  return entries.some(([name, part]) => part === null && value[name] !== null) ? null : Object.fromEntries(entries);
}

function excess(tools: readonly McpTool[], { own, characters }: OfferLimits): McpProblem | null {
  const next = "name the tools that you need with coder: { mcp: { <server>: { tools: [...] } } }";
  const most = mostTools - own.length;
  if (tools.length > most) {
    return {
      problem: `MCP servers have ${tools.length} tools (${perServer(tools)}), and at most ${most} can be sent`,
      next,
    };
  }
  const sizes = tools.map(({ name, description, inputSchema }) => ({
    name,
    size: JSON.stringify([name, description, inputSchema]).length,
  }));
  const size = sizes.reduce((sum, each) => sum + each.size, 0);
  if (size <= characters) return null;
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  const about = `the descriptions of ${tools.length} tools of MCP servers have ${size} characters, and ${largest?.name} has the longest`;
  return { problem: `${about}; they go with every request, and ${characters} is the most for this model`, next };
}

export function perServer(tools: readonly McpTool[]): string {
  const counts = new Map<string, number>();
  for (const { server } of tools) counts.set(server, (counts.get(server) ?? 0) + 1);
  return [...counts].map(([server, count]) => `${server} ${count}`).join(", ");
}

function leaveOut(name: string): string {
  return `leave it out with coder: { deny: [${name}] } in your settings`;
}
