import type * as z from "zod";
import type { RunJournal } from "../journal/run-journal.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import type { Roots } from "../platform/roots.ts";
import type { User } from "../project/find-user.ts";
import type { SessionFiles } from "../sessions/session-log.ts";
import type { RunFiles } from "../store/run-files.ts";
import type { Store } from "../store/store.ts";
import type { PendingAdvances } from "./pending-advances.ts";

/** The world an operation acts in. Built once per process, in `compose.ts`; tests build their own. */
export interface Deps {
  /** Where the caller is; paths that they write begin here. */
  readonly cwd: string;
  readonly roots: Roots;
  readonly store: Store;
  readonly files: RunFiles;
  readonly journal: RunJournal;
  readonly sessions: SessionFiles;
  /** Advances whose gates are being checked in this process. */
  readonly pendingAdvances: PendingAdvances;
  /** Throws where the state would be read or written behind a link. */
  refuseLinks(): void;
  readonly builtInFolder: string;
  /** A workflow file named when the program was started; it may lie outside the project. */
  readonly givenWorkflow: string | undefined;
  readonly user: User;
  readonly caller: Caller;
  now(): string;
  /** Four characters that make a run's id unique. */
  suffix(): string;
  /** A name for a machine that has none yet, unlike any other. */
  machineName(): string;
}

/** Who calls: an agent's session, a script, or a person at a terminal who can be asked. */
export interface Caller {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: string | undefined;
  readonly isTerminal: boolean;
  readonly as: { readonly name: string; readonly secretFile: string } | undefined;
  /** Asks the person at the terminal; absent where nobody can answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly progress: ((message: string) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** How many milliseconds a call may take before it answers that a gate is still running; by default as many as it takes. */
  readonly patience?: (() => Promise<number>) | undefined;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | No;

export interface No {
  readonly ok: false;
  readonly refusal: Refusal;
}

export function yes<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function no(refusal: Refusal): No {
  return { ok: false, refusal };
}

/** One thing a person or an agent can ask for. The command line and the MCP server both serve these. */
export interface Operation<I extends z.ZodObject = z.ZodObject, O = unknown> {
  readonly summary: string;
  readonly input: I;
  run(deps: Deps, input: z.infer<I>): Promise<Outcome<O>>;
}

/** Infers the input and output of an operation; does nothing at run time. */
export function defineOperation<I extends z.ZodObject, O>(operation: Operation<I, O>): Operation<I, O> {
  return operation;
}
