import type { ParkReason } from "../../model/driving/driving.ts";
import type { Hints } from "../../model/visit-rules.ts";

/** What an agent may change without asking. A template may ask for less, never for more. */
export const permissionLevels = ["read", "edit", "full"] as const;
export type Permissions = (typeof permissionLevels)[number];

/** A workflow can only ask for less than the person allows. */
export function narrower(allowed: Permissions, asked: Hints["permissions"]): Permissions {
  if (asked === "read") return "read";
  return asked === "edit" && allowed === "full" ? "edit" : allowed;
}

/** An agent program that Holdfast drives, one visit at a time. */
export interface Agent {
  /** As it was named with `--agent`, without options. */
  readonly name: string;
  readonly can: Capabilities;
  /** Looks at the program without starting a conversation; a text if it cannot be used, with what to do where that is known. */
  inspect(): Promise<AgentFacts | string | Unfit>;
  /** The model that a visit with these hints gets, where the agent chooses it itself. */
  modelFor?(hints: Hints): string;
  open(options: SessionOptions): AgentSession;
}

/** What an agent program is able to do, as data. */
export interface Capabilities {
  /** Keeps a conversation over several prompts. Otherwise every prompt begins a new one, and brings everything along. */
  readonly converse: boolean;
  readonly compact: boolean;
  /** Goes on with its conversation when it is started again. */
  readonly resume: boolean;
  /** Reports while it works. Otherwise nothing may be heard of it until it answers. */
  readonly stream: boolean;
  readonly reportCost: boolean;
  /** How it ends a visit: with a tool of our MCP server, with what it prints, or with a tool that it brings itself. */
  readonly ends: "mcp" | "printed" | "called";
  /** Keeps to `--permissions`. */
  readonly obey: boolean;
}

export interface Unfit {
  readonly problem: string;
  readonly next: string;
}

export interface AgentFacts {
  readonly version: string | undefined;
  /** Who pays, in words: a subscription, or a key by the name of its variable; undefined if nobody can tell. */
  readonly pays: string | undefined;
  /** Which settings of the program apply, if that needs a word. */
  readonly note?: string;
}

export interface SessionOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
  readonly permissions: Permissions;
  /** The run's folder, for what the agent keeps over a restart. */
  readonly folder: string;
  readonly run: RunActions;
  /** What the first visit of this conversation asks for. */
  readonly hints: Hints;
  onEvent(event: AgentEvent): void;
}

/** What an agent without our MCP server does to its run. */
export interface RunActions {
  /** Asks a person; a text if that is refused. */
  ask(question: string): Promise<string | null>;
  /** The answer to a question that was asked in these words; null if there is none. */
  answerTo(question: string): Promise<string | null>;
  /** Replaces the todo list. */
  updateTodo(content: string): Promise<{ readonly text: string; readonly isError?: true }>;
  /** The text without the secrets of this machine. */
  mask(text: string): string;
  /** The text as the journal has it. */
  recorded(text: string): string;
}

/** What an agent is asked at once. */
export interface Prompt {
  /** All of it as one text. */
  readonly text: string;
  /** The same for an agent that keeps the instructions of a visit apart from its conversation. */
  readonly visit: VisitPrompt;
}

export interface VisitPrompt {
  readonly token: string;
  readonly step: string;
  /** What the person asked for, if the instructions do not say it, the instructions and the rules. */
  readonly instructions: string;
  /** What was done so far, for an agent that does not have it. */
  readonly recap: string;
  /** What is new since the last prompt of this visit, each empty if nothing is: an attempt has broken off, */
  readonly again: string;
  /** people have told the agent something; after a turn that failed, all that it may not have heard, */
  readonly told: readonly string[];
  /** and what is left to do. */
  readonly more: string;
}

/** One conversation. At most one of its calls is under way at a time. */
export interface AgentSession {
  /** Ends when the agent's turn has ended. */
  prompt(prompt: Prompt, hints: Hints): Promise<Turn>;
  /** True if the agent has proved it. */
  compact(keep: string): Promise<boolean>;
  clear(): Promise<boolean>;
  /** Whether the agent has said exactly this in what it still has of its conversation. */
  knows?(text: string): boolean;
  /** Ends the current turn as soon as possible. */
  interrupt(): void;
  /** Ends the program and everything that it has started. */
  close(): Promise<void>;
}

/** What happens during a turn. */
export type AgentEvent =
  /** A sign of life that says nothing else. */
  | { readonly type: "alive" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly detail: string }
  /** What was used since the last of these; tokens are null if the agent does not tell. */
  | { readonly type: "usage"; readonly turns: number; readonly tokens: number | null }
  /** In US dollars, since the last of these. */
  | { readonly type: "cost"; readonly cost: number }
  /** The model that answers, where the agent tells. */
  | { readonly type: "model"; readonly model: string }
  /** Something that the person should know. */
  | { readonly type: "note"; readonly text: string }
  /** `allow` is what the person can type to allow it from now on. */
  | { readonly type: "permission-denied"; readonly tool: string; readonly allow: string }
  | { readonly type: "compacted" }
  | { readonly type: "cleared" };

/** How a turn has ended. */
export type Turn =
  | { readonly type: "answered"; readonly text: string; readonly result?: Result }
  | { readonly type: "failed"; readonly failure: AgentFailure };

/** `lost`: the program has crashed or fallen silent, and another attempt may help. Everything else parks the run. */
export interface AgentFailure {
  readonly kind: "lost" | Exclude<ParkReason, "budget">;
  readonly reason: string;
  /** When a limit ends, where that is known. */
  readonly until?: string;
}

/** How an agent ends a visit. */
export interface Result {
  readonly output: string;
  readonly outcome?: string | undefined;
  readonly failed?: true | undefined;
  /** The tasks of the loop that the visit asks for. */
  readonly tasks?: unknown;
  readonly variables?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly artifacts?: Readonly<Record<string, string>> | undefined;
}
