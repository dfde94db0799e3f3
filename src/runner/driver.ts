import type { Parking } from "../model/driving/driving.ts";
import type { Notice } from "../model/driving/notice.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import type { Deps } from "../operation/operation.ts";
import type { Agent, AgentFacts, Permissions } from "./agents/agent.ts";
import type { Conversation } from "./conversation.ts";
import type { VisitLogs } from "./visit-logs.ts";

/** Everything that driving a run takes. It is made once, when the runner begins. */
export interface Driver {
  readonly deps: Deps;
  readonly runId: string;
  /** What the person asked for, whole. */
  readonly request: string | undefined;
  readonly agent: Agent;
  readonly facts: AgentFacts;
  readonly options: DriveOptions;
  /** How long is waited for a store that does not answer: not at all until the run is this runner's. */
  readonly patience: { ms: number };
  readonly conversation: Conversation;
  readonly logs: VisitLogs;
  /** When this runner began, in milliseconds. */
  readonly began: number;
  /** What this runner has used so far. */
  readonly spent: Spent;
  /** How often the agent was denied something, by visit. */
  readonly denials: Map<string, number>;
  /** Ends the current turn, and with it the runner. */
  readonly signal: AbortSignal;
  report(notice: Notice): void;
}

export interface Spent {
  turns: number;
  /** Null until the agent has told any. */
  tokens: number | null;
  cost: number;
}

export interface DriveOptions {
  readonly permissions: Permissions;
  /** Wait here until a limit of the provider ends. */
  readonly wait: boolean;
  /** What this runner may use. */
  readonly most: { readonly cost?: number; readonly minutes?: number; readonly turns?: number };
  readonly timers: Timers;
}

export interface Timers {
  /** How long an agent that reports while it works may take to report anything. */
  readonly firstMs: number;
  /** How long nothing may be heard of it after that. */
  readonly idleMs: number;
  /** How long nothing may be heard of an agent that has sent its result and does not end its turn. */
  readonly resultMs: number;
  /** The first pause before a provider that is overloaded is asked again. */
  readonly backoffMs: number;
  /** How often the runner looks where the run stands while the agent works. */
  readonly clockMs: number;
  /** How long is waited for a shared store that does not answer. */
  readonly storeMs: number;
}

export const usualTimers: Timers = {
  ...{ firstMs: 60_000, idleMs: 10 * 60_000, resultMs: 30_000 },
  ...{ backoffMs: 2_000, clockMs: 5_000, storeMs: 10 * 60_000 },
};

/** How driving a run has ended. */
export type Ending =
  | { readonly type: "complete" }
  | { readonly type: "failed"; readonly reason: string }
  /** A person has to act. */
  | { readonly type: "waits"; readonly reason: string; readonly next: string }
  | ({ readonly type: "parked" } & Parking)
  | { readonly type: "interrupted" }
  | { readonly type: "refused"; readonly refusal: Refusal };
