import { randomUUID } from "node:crypto";
import { runnerOf } from "../platform/runner.ts";
import { normalizeSessionId } from "./normalize-session-id.ts";
import { type SessionFiles, sessionStamp } from "./session-log.ts";

/** Which conversation a server serves. It may change while the server lives: a host gives every clear a new id. */
export interface Conversation {
  session(): string;
  /** What a hook of the host says that it is. */
  learn(session: string): void;
  /** Its agent has asked for its run, so it knows of it: what its context lost is made good. */
  heard(session: string): void;
}

/**
 * Named when the server was started; else as the host's hooks told it; else from the environment. Without any of
 * these the server is taken for a conversation of its own.
 */
export function followConversation(
  logs: SessionFiles,
  env: Readonly<Record<string, string | undefined>>,
  now: () => string,
): Conversation {
  const host = hostProcess();
  const named = normalizeSessionId(env.HOLDFAST_SESSION);
  const otherwise = normalizeSessionId(env.CLAUDE_CODE_SESSION_ID) ?? `mcp-${randomUUID()}`;
  let learned: string | undefined;
  let seen = "";
  const session = () => named ?? logs.ofParent(host) ?? learned ?? otherwise;
  return {
    session,
    learn(said) {
      learned = said;
    },
    heard(mine) {
      // Most calls come when nothing has happened to the conversation since the last one.
      const stamp = `${mine} ${sessionStamp(logs, mine)}`;
      if (stamp === seen) return;
      seen = stamp;
      const { pending } = logs.read(mine);
      if (pending !== null) logs.tell(mine, { type: "settled", at: now(), via: "call", loss: pending.loss });
    },
  };
}

/** The program that started this process: for a hook or a server, the host. */
export function hostProcess(): string {
  return runnerOf(process.ppid);
}
