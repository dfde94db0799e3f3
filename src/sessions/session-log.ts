import { existsSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import type { StartedRun } from "../model/run.ts";
import { appendLine, readTail, replaceFile, sha256Hex } from "../platform/files.ts";
import { isUnchanged, type Stamp, stampOf } from "../platform/stamp.ts";
import { type Line, parseLine, type SessionState, type StoredLine, stateOf } from "./session-state.ts";

/**
 * What this machine knows about the conversations in a project: one file per session, to which hooks and servers append
 * lines. Lock-free: a writer reads the file again after its append, and the first line about an event counts for all.
 */
export interface SessionLogs {
  read(session: string): SessionState;
  /** Appends a line and returns the new state. */
  tell(session: string, line: Line): Told;
  /** The session that a host process last reported through its hooks. */
  ofParent(parent: string): string | null;
  setParent(parent: string, session: string): void;
  clearParent(parent: string, session: string): void;
  /** The run that last handed something to the session, as far as this machine knows. */
  runOf(session: string): string | null;
  setRun(session: string, runId: string | null): void;
  /** What the host last said that the session has cost in all, in US dollars; null if it has not. */
  costOf(session: string): number | null;
  setCost(session: string, total: number): void;
  /** Where the logs are; null if nothing is stored. */
  readonly folder: string | null;
}

export interface Told {
  readonly state: SessionState;
  /** False if another hook had already reported the same event. */
  readonly first: boolean;
  /** Whether the line belongs to the compaction of a subagent. */
  readonly ofSubagent: boolean;
}

export interface SessionFiles extends SessionLogs {
  /** The file of one session. */
  pathOf(session: string): string;
  /** The file that `runOf` reads. */
  runPath(session: string): string;
}

/** Reading the end is enough: every line includes the session's state before it. */
const tailLength = 16 * 1024;

/** A failed write is added to `troubles`; the session continues without its log. */
export function createSessionLogs(stateFolder: string, troubles: string[] = []): SessionFiles {
  const folder = join(stateFolder, "sessions");
  // Caches the last path: a server asks for the same one at every call.
  const cachedPath = (nameOf: (key: string) => string) => {
    let last = { key: "", path: "" };
    return (key: string) => {
      if (last.key !== key) last = { key, path: join(folder, nameOf(key)) };
      return last.path;
    };
  };
  const pathOf = cachedPath((session) => `${hashOf(session)}.jsonl`);
  const parentPath = cachedPath((parent) => `parent-${parent.replace(/[^0-9.]/g, "")}`);
  const runPath = cachedPath((session) => `run-${hashOf(session)}`);
  const costPath = cachedPath((session) => `cost-${hashOf(session)}`);
  const costOf = (session: string) => {
    const total = Number.parseFloat(tailOf(costPath(session)) ?? "");
    return Number.isFinite(total) && total >= 0 ? total : null;
  };
  let last = { path: "", stamp: "", state: stateOf("", []) };
  // A server reads the same session at every call, and most of the time nothing has happened to it.
  const read = (session: string) => {
    const path = pathOf(session);
    const stamp = logStamp(path);
    if (stamp === "") return stateOf(session, []);
    if (last.path !== path || last.stamp !== stamp) last = { path, stamp, state: stateOf(session, linesIn(path)) };
    return last.state;
  };
  return {
    read,
    pathOf,
    runPath,
    tell(session, line) {
      const path = pathOf(session);
      const nonce = `${process.pid}-${process.hrtime.bigint()}`;
      const { host, parent, losses, settled, told, transcript, counted } = read(session);
      const before = { host, parent, losses, settled, told, transcript, counted };
      const stored = { ...line, session, nonce, before };
      // Begin with a newline: a process that was killed here may have left half a line.
      const written = tryWrite(troubles, () =>
        appendLine(path, `\n${JSON.stringify(stored)}`, { durability: "quick" }),
      );
      const state = written ? read(session) : stateOf(session, [...linesIn(path), stored]);
      return { state, first: !state.repeated.includes(nonce), ofSubagent: state.ofSubagents.includes(nonce) };
    },
    ofParent: (parent) => tailOf(parentPath(parent))?.trim() || null,
    setParent(parent, session) {
      if (tailOf(parentPath(parent))?.trim() === session) return;
      tryWrite(troubles, () => replaceFile(parentPath(parent), session, "quick"));
    },
    clearParent(parent, session) {
      if (tailOf(parentPath(parent))?.trim() === session) remove(parentPath(parent));
    },
    runOf: (session) => tailOf(runPath(session))?.trim() || null,
    setRun(session, runId) {
      if (runId === null) remove(runPath(session));
      else tryWrite(troubles, () => replaceFile(runPath(session), runId, "quick"));
    },
    costOf,
    setCost(session, total) {
      if (costOf(session) !== total) tryWrite(troubles, () => replaceFile(costPath(session), String(total), "quick"));
    },
    folder,
  };
}

/** For a server, which asks for the run of its session at every advance: reads the file only after it has changed. */
export function withCachedRun(logs: SessionFiles): SessionFiles {
  let last: { readonly stamp: Stamp; readonly runId: string | null } | null = null;
  return {
    ...logs,
    runOf(session) {
      const path = logs.runPath(session);
      if (last?.stamp.path !== path || !last.stamp.settled || !isUnchanged(last.stamp)) {
        last = { stamp: stampOf(path), runId: logs.runOf(session) };
      }
      return last.runId;
    },
  };
}

/** For a project that does not use Holdfast: stores nothing. */
export const noSessionLogs: SessionLogs = {
  read: (session) => stateOf(session, []),
  tell: (session, line) => ({
    state: stateOf(session, [{ ...line, session, nonce: "" }]),
    first: true,
    ofSubagent: false,
  }),
  ofParent: () => null,
  setParent() {},
  clearParent() {},
  runOf: () => null,
  setRun() {},
  costOf: () => null,
  setCost() {},
  folder: null,
};

/**
 * Commits events, and remembers which run their sessions work on, so that a call that names no run need not read them all.
 * Another run is forgotten before: a process that is killed after the commit must not leave a session with its old one.
 */
export async function commitAndRemember<T>(
  sessions: SessionLogs,
  runId: string,
  events: readonly RunEvent[],
  commit: () => Promise<T>,
): Promise<T> {
  const receivers = [...new Set(events.map(receiverOf))].filter((session) => session !== undefined);
  const changing = receivers.filter((session) => sessions.runOf(session) !== runId);
  for (const session of changing) sessions.setRun(session, null);
  const committed = await commit();
  for (const session of changing) sessions.setRun(session, runId);
  return committed;
}

/** The session that an event hands something to. The end of a visit does not count, as nobody may have waited. */
function receiverOf(event: RunEvent): string | undefined {
  return "session" in event && event.type !== "visit-ended" ? event.session : undefined;
}

/** Returns whether the write succeeded. */
function tryWrite(troubles: string[], write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
    troubles.push(error.message);
    return false;
  }
}

/** Ignores system errors: a file that stays only takes up space. */
export function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

export function linesIn(path: string): readonly StoredLine[] {
  const text = tailOf(path) ?? "";
  return text.split("\n").flatMap((line) => {
    const parsed = parseLine(line);
    return parsed === null ? [] : [parsed];
  });
}

function tailOf(path: string): string | null {
  // Most of these files do not exist, and this check is cheaper than an exception.
  if (!existsSync(path)) return null;
  try {
    return readTail(path, tailLength);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

function hashOf(session: string): string {
  return sha256Hex(session).slice(0, 32);
}

/** Changes whenever a line is appended; empty if there is no log. */
export function sessionStamp(sessions: SessionFiles, session: string): string {
  return logStamp(sessions.pathOf(session));
}

function logStamp(path: string): string {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    return there === undefined ? "" : `${there.size} ${there.mtimeMs}`;
  } catch (error) {
    // For example because a folder above is a file.
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}

interface Witness {
  readonly sessions: SessionLogs;
  isAlive(runner: string): boolean;
}

/** The run's open sessions whose host process is known and no longer alive. */
export function lostSessions(witness: Witness, { sessions }: StartedRun): string[] {
  return sessions.flatMap(({ id, ended }) => (ended === null && isAliveHere(witness, id) === false ? [id] : []));
}

/** Whether a session's host process is alive on this machine; null if this machine cannot tell. */
export function isAliveHere({ sessions, isAlive }: Witness, session: string) {
  const { parent, ended } = sessions.read(session);
  return parent === null || ended !== null ? null : isAlive(parent);
}
