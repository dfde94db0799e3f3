import { statusLine } from "../app/continuity/events/status-line.ts";
import { createHookPorts } from "../app/continuity/ports/hook-ports.ts";
import { isRecord } from "../model/json.ts";
import { logTrouble } from "../project/trouble-log.ts";
import { hostProcess } from "../sessions/conversation.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";
import { readInput } from "./read-input.ts";

const help = `Print one line about the run of a session, such as
  feature · step 3/9 build · task 2/5

Usage: holdfast statusline < status.json

It reads the JSON that Claude Code passes to a status line. In .claude/settings.json:
  {"statusLine": {"type": "command", "command": "holdfast statusline"}}
`;

/** Claude Code runs this after every message, and does not show a late line. */
const deadlineMs = 1_000;

/** Prints one line about the run of the session. Always exits with 0 and in time; prints nothing on an error. */
export async function runStatusline(words: readonly string[]): Promise<void> {
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(help);
    return;
  }
  const giveUp = setTimeout(() => process.exit(0), deadlineMs);
  try {
    const line = await lineFor(await readInput(process.stdin, deadlineMs / 2));
    if (line !== "") await new Promise<void>((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
  } catch (error) {
    logTrouble(process.cwd(), error);
  }
  clearTimeout(giveUp);
  process.exitCode = 0;
}

/** The line for what Claude Code has passed in; empty when there is nothing to show. */
export async function lineFor(input: string): Promise<string> {
  const { session_id, cwd, workspace, cost } = fieldsIn(input);
  const folder = [cwd, isRecord(workspace) ? workspace.current_dir : undefined].find(isText) ?? process.cwd();
  const session = normalizeSessionId(isText(session_id) ? session_id : undefined) ?? "";
  const hook = { session, host: "claude", via: "statusline", parent: hostProcess() };
  return statusLine(await createHookPorts(folder), hook, totalIn(cost));
}

/** What the session has cost in all, in US dollars. Only a status line is told. */
function totalIn(cost: unknown): number | null {
  const total = isRecord(cost) ? cost.total_cost_usd : undefined;
  return typeof total === "number" && total >= 0 && total < 1e9 ? total : null;
}

/** Any field may be missing. */
function fieldsIn(input: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(input);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
