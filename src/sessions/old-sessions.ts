import { statSync } from "node:fs";
import { join } from "node:path";
import { namesInFolder } from "../platform/files.ts";
import { linesIn, remove } from "./session-log.ts";
import { type SessionState, stateOf } from "./session-state.ts";

const mostLogs = 300;

/** The session that a clear has just ended and that this one of the same program continues. `now` is null if it may be longer ago. */
export function precedingSession(
  folder: string | null,
  { session, parent }: { readonly session: string; readonly parent: string },
  now: string | null,
): SessionState | null {
  const earliest = now === null ? 0 : Date.parse(now) - justNowMs;
  const left = leftSessions(folder).filter(({ ended }) => Date.parse(ended?.at ?? "") > earliest);
  return left.find((each) => each.session !== session && each.parent === parent) ?? null;
}

const justNowMs = 60_000;

/** Sessions that another one continues, or may continue: those that a clear has ended, latest first. */
function leftSessions(folder: string | null): readonly SessionState[] {
  if (folder === null) return [];
  const names = namesIn(folder).filter((name) => name.endsWith(".jsonl"));
  const newest = newestOf(folder, names).slice(0, 20);
  return newest
    .map((name) => linesIn(join(folder, name)))
    .map((lines) => stateOf(lines.at(-1)?.session ?? "", lines))
    .filter(({ ended }) => ended !== null && left.includes(ended.reason))
    .sort((a, b) => ((a.ended?.at ?? "") < (b.ended?.at ?? "") ? 1 : -1));
}

/** The second is Copilot CLI's word, also for an exit. The last one is for those that have a successor. */
const left = ["clear", "user_exit", "followed"];

/** Removes the oldest logs if there are very many. */
export function tidySessions(folder: string | null): void {
  if (folder === null) return;
  const names = namesIn(folder);
  if (names.length <= mostLogs) return;
  for (const name of newestOf(folder, names).slice(mostLogs / 2)) remove(join(folder, name));
}

function namesIn(folder: string): string[] {
  return namesInFolder(folder, "ENOTDIR", "EACCES");
}

function newestOf(folder: string, names: readonly string[]): string[] {
  const touched = names.map((name) => ({
    name,
    at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  return touched.sort((a, b) => b.at - a.at).map(({ name }) => name);
}
