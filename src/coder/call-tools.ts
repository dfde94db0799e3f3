import type { Context } from "../context/context.ts";
import type { ToolCallPart } from "../context/conversation/message.ts";
import { isRecord, ownEntry } from "../model/json.ts";
import { truncateMiddle } from "../model/truncate.ts";
import type { Hints } from "../model/visit-rules.ts";
import type { AgentEvent, Result, RunActions } from "../runner/agents/agent.ts";
import { type McpTool, namesTool } from "./mcp/offered-tools.ts";
import type { McpSession } from "./mcp/servers.ts";
import { callRunTool, type RunReply } from "./run-tools.ts";
import { projectTools } from "./tools/project-tools.ts";
import { problem, type ToolReply, type ToolScene } from "./tools/tool.ts";

/** What the tools of a turn work with. */
export interface Workbench {
  readonly context: Context;
  readonly run: RunActions;
  readonly scene: ToolScene;
  readonly mcp: McpSession;
  readonly hints: Hints;
  /** Puts what the context has on disk. */
  save(): void;
  onEvent(event: AgentEvent): void;
}

/** What the calls of one reply mean for the turn. */
export interface Called {
  readonly result?: Result;
  readonly waits?: true;
}

/** Carries out the open ones of a reply's calls. What only reads runs at the same time; everything else one after the other. */
export async function callTools(bench: Workbench, made: number): Promise<Called> {
  const calls = bench.context.outstanding();
  const alone = made > 1 ? calls.filter(({ toolName }) => endsTurn.includes(toolName)) : [];
  const rest = calls.filter((call) => !alone.includes(call));
  for (const call of alone) {
    answer(bench, call, {
      text: `${call.toolName} must be called alone: look at the other results first`,
      isError: true,
    });
  }
  if (rest.every(({ toolName }) => effectOf(bench, toolName) === "reads")) {
    await Promise.all(rest.map(async (call) => answer(bench, call, await carryOut(bench, call))));
    return {};
  }
  let called: Called = {};
  for (const call of rest) {
    const reply = bench.scene.signal.aborted ? notRun : await carryOut(bench, call);
    if (reply.waits === true) return { waits: true };
    answer(bench, call, reply);
    if (reply.result !== undefined) called = { result: reply.result };
  }
  return called;
}

/** They mean what they say only if nothing else is under way. */
export const endsTurn: readonly string[] = ["done", "submit_plan", "ask_question"];
const notRun: RunReply = { text: "Not run: the turn was ended before.", isError: true };

function effectOf({ mcp }: Workbench, name: string): string | undefined {
  return [...projectTools, ...mcp.tools].find((tool) => tool.name === name)?.effect;
}

async function carryOut(bench: Workbench, { toolName, input }: ToolCallPart): Promise<RunReply> {
  const { run, context, scene, mcp, onEvent } = bench;
  onEvent({ type: "tool", name: toolName, detail: detailOf(input) });
  const own = await callRunTool(toolName, input, { run, context });
  if (own !== null) return own;
  const tool = projectTools.find(({ name }) => name === toolName);
  const mcpTool = mcp.tools.find(({ name }) => name === toolName);
  if (tool === undefined && mcpTool === undefined) return problem(`there is no tool ${toolName}`);
  if (!isOffered(toolName, mcpTool, bench.hints)) return problem(`${toolName} is not available in this step`);
  const reply = mcpTool === undefined ? await tool?.run(input, scene) : await callMcpTool(bench, mcpTool, input);
  if (reply?.denied !== undefined) onEvent({ type: "permission-denied", tool: toolName, allow: reply.denied });
  return reply ?? notRun;
}

const longestResult = 30_000;

/** It acts outside the worktree, so a run that may only read calls only those that say that they read. */
async function callMcpTool(bench: Workbench, tool: McpTool, input: unknown): Promise<ToolReply> {
  const { mcp, run, scene, onEvent } = bench;
  if (scene.level === "read" && tool.effect !== "reads") {
    return { ...problem(`${tool.name} is not available: this run may only read`), denied: "--permissions edit" };
  }
  const onProgress = () => onEvent({ type: "alive" });
  const { text, ...reply } = await mcp.call(tool, input, { signal: scene.signal, onProgress });
  // Masked before it is cut: half a secret would not be recognised.
  return { ...reply, text: truncateMiddle(run.mask(text), longestResult, "ask for less at once") };
}

function answer(bench: Workbench, { toolCallId, toolName }: ToolCallPart, { text, isError }: RunReply): void {
  const value = bench.run.mask(text.trim() === "" ? "(no output)" : text);
  const output = { type: isError === true ? "error-text" : "text", value };
  bench.context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }], { source: "tool" });
  bench.save();
}

/** What workflows and other agent programs call these tools. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  read: ["read", "list"],
  search: ["search", "list"],
  grep: ["search"],
  glob: ["list"],
  list: ["list"],
  write: ["write", "edit"],
  edit: ["edit"],
  run: ["shell"],
  bash: ["shell"],
  shell: ["shell"],
};

/** A step may name the tools it needs. All are sent all the same, so that the provider's cache holds. */
function isOffered(name: string, mcpTool: McpTool | undefined, { tools }: Hints): boolean {
  if (tools === undefined) return true;
  if (mcpTool !== undefined) return namesTool(tools)(name, mcpTool.server, mcpTool.definition.name);
  return tools.some((named) => (ownEntry(otherNames, named.replace(/\(.*$/s, "").toLowerCase()) ?? []).includes(name));
}

function detailOf(input: unknown): string {
  const values = isRecord(input) ? Object.values(input).filter((value) => typeof value === "string") : [];
  return (values[0] ?? "").split("\n")[0]?.slice(0, 200) ?? "";
}
