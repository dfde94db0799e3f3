import { existsSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { appendLine, hasCode, replaceFile } from "../platform/files.ts";
import { sha256Hex } from "../platform/hash.ts";
import { readTail } from "../platform/read-tail.ts";
import { type Line, parseLine, type SessionState, type StoredLine, stateOf } from "./session-state.ts";

/**
 * What this machine knows of the conversations in a project: one file per session, to which hooks and servers add lines.
 * Nothing is locked. Whoever added a line reads the file again, and what comes first in it counts for all.
 */
export interface SessionLogs {
  read(session: string): SessionState;
  /** Adds what happened and tells how the session stands with it; `first` is false where another hook told the same. */
  tell(session: string, line: Line): { readonly state: SessionState; readonly first: boolean };
  /** The session of the program that started this process, as its hooks told it. */
  ofParent(parent: string): string | null;
  setParent(parent: string, session: string): void;
  clearParent(parent: string, session: string): void;
  /** Where the logs are; null where nothing is kept. */
  readonly folder: string | null;
}

export interface SessionFiles extends SessionLogs {
  /** The file of one session. */
  pathOf(session: string): string;
}

/** Enough for all that may still matter; every line tells how the session stood before it. */
const tailLength = 16 * 1024;

/** What cannot be written is noted among the troubles: a session goes on without its log. */
export function createSessionLogs(stateFolder: string, troubles: string[] = []): SessionFiles {
  const folder = join(stateFolder, "sessions");
  // A server asks for the same ones at every call.
  const named = (nameOf: (key: string) => string) => {
    let last = { key: "", path: "" };
    return (key: string) => {
      if (last.key !== key) last = { key, path: join(folder, nameOf(key)) };
      return last.path;
    };
  };
  const pathOf = named((session) => `${hashOf(session)}.jsonl`);
  const parentPath = named((parent) => `parent-${parent.replace(/[^0-9.]/g, "")}`);
  const read = (session: string) => stateOf(session, linesIn(pathOf(session)));
  return {
    read,
    pathOf,
    tell(session, line) {
      const path = pathOf(session);
      const nonce = `${process.pid}-${process.hrtime.bigint()}`;
      const { host, parent, losses, settled } = read(session);
      const told = { ...line, session, nonce, before: { host, parent, losses, settled } };
      // Whoever was killed here may have left half a line, which ours must not join.
      const written = unless(troubles, () => appendLine(path, `\n${JSON.stringify(told)}`, "quick"));
      const lines = written ? linesIn(path) : [...linesIn(path), told];
      const state = stateOf(session, lines);
      return { state, first: !state.repeated.includes(nonce) };
    },
    ofParent: (parent) => tailOf(parentPath(parent))?.trim() || null,
    setParent(parent, session) {
      if (tailOf(parentPath(parent))?.trim() === session) return;
      unless(troubles, () => replaceFile(parentPath(parent), session, "quick"));
    },
    clearParent(parent, session) {
      if (tailOf(parentPath(parent))?.trim() === session) remove(parentPath(parent));
    },
    folder,
  };
}

/** For a project that has nothing to do with us: nothing is known, and nothing is kept. */
export const noSessionLogs: SessionLogs = {
  read: (session) => stateOf(session, []),
  tell: (session, line) => ({ state: stateOf(session, [{ ...line, session, nonce: "" }]), first: true }),
  ofParent: () => null,
  setParent() {},
  clearParent() {},
  folder: null,
};

/** Whether it could be written. */
function unless(troubles: string[], write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
    troubles.push(error.message);
    return false;
  }
}

/** What stays only takes up room. */
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
  // An exception costs more than this look, and most files are not there.
  if (!existsSync(path)) return null;
  try {
    return readTail(path, tailLength);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) return null;
    throw error;
  }
}

function hashOf(session: string): string {
  return sha256Hex(session).slice(0, 32);
}

/** Changes whenever something is told of the session; empty as long as nothing was. */
export function sessionStamp(sessions: SessionFiles, session: string): string {
  const path = sessions.pathOf(session);
  const there = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return there === undefined ? "" : `${there.size} ${there.mtimeMs}`;
}
