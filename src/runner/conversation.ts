import type { Hints } from "../model/visit-rules.ts";
import type { Agent, AgentEvent, AgentSession, Prompt, SessionOptions, Turn } from "./agents/agent.ts";

/** The agent's conversation over all visits. It is begun anew when the agent is lost, and where a clear is asked for. */
export interface Conversation {
  /** Whether the agent knows nothing of the run, or may have lost it: the next prompt brings it along. */
  readonly isFresh: boolean;
  prompt(prompt: Prompt, hints: Hints, onEvent: (event: AgentEvent) => void): Promise<Turn>;
  /** Each is true if the agent has proved it, or if there is nothing in its context yet. */
  compact(keep: string, onEvent: (event: AgentEvent) => void): Promise<boolean>;
  clear(): Promise<boolean>;
  /** Whether the agent has said exactly this, and still has it. */
  knows(text: string): boolean;
  interrupt(): void;
  /** Ends the program; the next prompt starts another one. */
  drop(): Promise<void>;
}

export function createConversation(agent: Agent, base: Omit<SessionOptions, "hints" | "onEvent">): Conversation {
  let session: AgentSession | null = null;
  let isFresh = true;
  let listener: (event: AgentEvent) => void = () => {};
  const open = (hints: Hints) => agent.open({ ...base, hints, onEvent: (event) => listener(event) });
  /** What there is to compact or clear, also from an earlier runner. */
  const current = () => {
    if (agent.can.resume) session ??= open({});
    return session;
  };
  const drop = async () => {
    const ended = session;
    session = null;
    isFresh = true;
    await ended?.close();
  };
  return {
    get isFresh() {
      return isFresh || !agent.can.converse;
    },
    async prompt(prompt, hints, onEvent) {
      listener = onEvent;
      session ??= open(hints);
      isFresh = false;
      const turn = await session.prompt(prompt, hints);
      listener = () => {};
      return turn;
    },
    async compact(keep, onEvent) {
      const asked = current();
      if (asked === null || !agent.can.converse) return true;
      listener = onEvent;
      const proved = agent.can.compact && (await asked.compact(keep));
      listener = () => {};
      isFresh ||= proved;
      return proved;
    },
    async clear() {
      const asked = current();
      const proved = asked === null || (await asked.clear());
      // A fresh program that begins with the handoff has nothing of the earlier conversation either.
      if (!proved) await drop();
      isFresh = true;
      return true;
    },
    knows: (text) => current()?.knows?.(text) ?? false,
    interrupt: () => session?.interrupt(),
    drop,
  };
}
