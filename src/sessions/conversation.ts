import { randomUUID } from "node:crypto";
import { hostSession } from "../hosts/contracts.ts";
import { runnerOf } from "../platform/runner.ts";
import { normalizeSessionId } from "./normalize-session-id.ts";
import { type SessionFiles, sessionStamp } from "./session-log.ts";

/** The conversation that a server serves. Its id may change while the server runs: hosts assign a new one at every clear. */
export interface Conversation {
  session(): string;
  /** Takes the session id that a hook of the host reported. */
  learn(session: string): void;
  /** Called when the agent asks for its run, which settles a pending context loss. */
  heard(session: string): void;
}

/**
 * Takes the session id from HOLDFAST_SESSION, else from the host's hooks, else from the host's environment variable.
 * Without any of these, the server counts as a conversation of its own.
 */
export function followConversation(
  logs: SessionFiles,
  env: Readonly<Record<string, string | undefined>>,
  now: () => string,
): Conversation {
  const host = hostProcess();
  const named = normalizeSessionId(env.HOLDFAST_SESSION);
  const otherwise = sessionIn(env) ?? `mcp-${randomUUID()}`;
  let learned: string | undefined;
  let seen = "";
  const session = () => named ?? logs.ofParent(host) ?? learned ?? otherwise;
  return {
    session,
    learn(reported) {
      learned = reported;
    },
    heard(mine) {
      // Skip the read if nothing happened to the conversation since the last call, which is usual.
      const stamp = `${mine} ${sessionStamp(logs, mine)}`;
      if (stamp === seen) return;
      seen = stamp;
      const { pending } = logs.read(mine);
      if (pending !== null) logs.tell(mine, { type: "settled", at: now(), via: "call", loss: pending.loss });
    },
  };
}

/** The session id in the environment of a server; it may be out of date. */
export function sessionIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return normalizeSessionId(env.HOLDFAST_SESSION) ?? normalizeSessionId(hostSession(env));
}

/** The program that started this process: for a hook or a server, the host. */
export function hostProcess(): string {
  return runnerOf(process.ppid);
}
