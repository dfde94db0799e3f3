import type * as z from "zod";
import type { HoldfastError } from "../errors.ts";
import type { History } from "../journal/milestones.ts";
import type { RunIndex } from "../journal/run-index.ts";
import type { RunJournal, Standing } from "../journal/run-journal.ts";
import type { Actor } from "../model/command.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import type { Face } from "../model/refusal/wording.ts";
import type { Roots } from "../platform/roots.ts";
import type { Surroundings } from "../platform/surroundings.ts";
import type { User } from "../project/find-user.ts";
import type { SessionFiles } from "../sessions/session-log.ts";
import type { CopiedStore } from "../store/copied-store.ts";
import type { Leases } from "../store/leases.ts";
import type { Away } from "../store/link.ts";
import type { RunFiles } from "../store/run-files.ts";
import type { Store } from "../store/store.ts";
import type { Dialog } from "./dialog.ts";
import type { PendingAdvances } from "./pending-advances.ts";

/** The dependencies of an operation. Created once per process, in `compose.ts`; tests create their own. */
export interface Deps {
  /** The caller's working directory; relative paths start here. */
  readonly cwd: string;
  readonly roots: Roots;
  readonly store: Store;
  /** The store that machines share, or why it cannot be used; null if the project keeps its runs in files. */
  shared(): Promise<CopiedStore | HoldfastError | null>;
  /** Why copies are read in the place of the shared store, as far as calls have found out. Costs nothing where runs are in files. */
  away(): Away | null;
  /** What is wrong with the project's settings, once somebody has looked at them: then the defaults apply. */
  settingsProblem(): string | null;
  /** The name of this clone where its runs are shared. */
  clone(): string | undefined;
  readonly files: RunFiles;
  readonly leases: Leases;
  readonly journal: RunJournal;
  readonly history: History;
  /** Reads runs as they are in files here, without a question to a shared store. */
  readonly copies: Pick<RunJournal, "load">;
  readonly index: RunIndex;
  readonly sessions: SessionFiles;
  /**
   * Records what hooks of this machine have queued about a run of a shared store, and returns the run after that. Elsewhere
   * hooks write the journal themselves.
   */
  deliverNotices(standing: Standing): Promise<Standing>;
  /** Advances whose gates are being checked in this process. */
  readonly pendingAdvances: PendingAdvances;
  /** Throws if the state would be read or written through a link. */
  refuseLinks(): void;
  readonly builtInFolder: string;
  /** A workflow file given on the command line; it may be outside the project. */
  readonly givenWorkflow: string | undefined;
  readonly user: User;
  readonly caller: Caller;
  now(): string;
  /** Four characters that make a run's id unique. */
  suffix(): string;
  /** A unique name for a machine that has none yet. */
  machineName(): string;
}

/** The caller: an agent's session, a script, or a person at a terminal who can be asked. */
export interface Caller {
  /** Whether replies name commands or tools. */
  readonly face: Face;
  /** Set for an agent whose answer is what it prints, or that brings its own tools: its instructions name neither. */
  readonly words?: "printed" | "called" | undefined;
  /** Whether the caller has said exactly this and still has it, so that instructions need not repeat it. */
  knows?(text: string): boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that gates and command steps do not get. */
  readonly hiddenVariables?: readonly string[] | undefined;
  readonly session: string | undefined;
  /** The visit that the call is about, where several agents work; null if it is about none. */
  readonly visit?: string | null | undefined;
  /** The version of the agent program, where it tells. */
  readonly hostVersion?: string | undefined;
  readonly isTerminal: boolean;
  /** Where this process was started. Read only when it matters whether a person acts. */
  surroundings(): Surroundings;
  readonly as: { readonly name: string; readonly secretFile: string } | undefined;
  /** Set if the face itself has made sure that a person acts, as the server does for its page. */
  readonly person?: Actor | undefined;
  /** Asks the person at the terminal; absent if nobody can answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  /** Asks for a text; empty if the person gives none. Absent if nobody can answer. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Absent if the agent program has no dialog, or if an answer there would not count as a person's. */
  readonly dialog?: Dialog | undefined;
  /** Set while what a person answered in that dialog is carried out. */
  readonly answersInDialog?: true | undefined;
  /** The agent is one that a runner drives: it sees one visit, and ends its turn when that is done. */
  readonly isDriven?: boolean | undefined;
  readonly progress: ((message: string) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** How long a call waits, in milliseconds, before it replies that a gate is still running; by default until it ends. */
  readonly patience?: (() => Promise<number>) | undefined;
}

/** The store that machines share; null if the project keeps its runs in files. Throws why it cannot be used. */
export async function sharedStore(deps: Pick<Deps, "shared">): Promise<CopiedStore | null> {
  const shared = await deps.shared();
  if (shared instanceof Error) throw shared;
  return shared;
}

/** What a reply adds that was read from copies: as of when they are, as far as that is known, and why they were read. */
export function staleFacts(deps: Pick<Deps, "away">): { readonly asOf?: string; readonly storeProblem?: string } {
  const away = deps.away();
  if (away === null) return {};
  return { ...(away.asOf !== null && { asOf: away.asOf }), storeProblem: away.problem.message };
}

/** What was decided on a copy is no answer if that may be out of date: throws why the shared store cannot be used. */
export function refuseStale(deps: Pick<Deps, "away">): void {
  const away = deps.away();
  if (away !== null) throw away.problem;
}

/** This clone works on the run from now on, if it is a copy of a shared one: it is meant also where it is not named. */
export async function workOnCopy(deps: Pick<Deps, "shared">, runId: string): Promise<void> {
  const shared = await deps.shared();
  if (shared !== null && !(shared instanceof Error)) shared.workOn(runId);
}

/** Brings the copies of runs here up to date, as far as the shared store can be reached, and returns which are. */
export async function refreshCopies(deps: Pick<Deps, "shared">, runs: readonly string[]): Promise<ReadonlySet<string>> {
  const shared = await deps.shared();
  return shared === null || shared instanceof Error ? new Set() : shared.refresh(runs);
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

/** Something a person or an agent can ask for, over the command line or the MCP server. */
export interface Operation<I extends z.ZodObject = z.ZodObject, O = unknown> {
  readonly summary: string;
  readonly input: I;
  run(deps: Deps, input: z.infer<I>): Promise<Outcome<O>>;
}

/** Infers the input and output of an operation; does nothing at run time. */
export function defineOperation<I extends z.ZodObject, O>(operation: Operation<I, O>): Operation<I, O> {
  return operation;
}
