import type { CardEdits } from "./carry.ts";
import type { DriveEnd, DrivenAgent, Parking } from "./driving/driving.ts";
import type { RunEvent, Seat, Via } from "./event.ts";
import type { VariableValue } from "./ids.ts";
import type { Evidence, LoadedRecord } from "./recorded.ts";
import type { Environment, TranscriptMark } from "./session.ts";
import type { Task } from "./task.ts";
import type { ContextActionName } from "./workflow-type.ts";

/** The event that asked for the decision. If another one has asked since, the decision is refused. */
interface Asked {
  readonly asked?: number | undefined;
}

/** Who acts, and on which visit: the one named, else the one this session was given, else the only open one. */
export interface VisitTarget {
  readonly token?: string | undefined;
  /** Names the visit where several tasks are open. */
  readonly task?: string | undefined;
  readonly session?: string | undefined;
}

/** Who claims a task, and the worktree that they work in. Where runs are shared, it is one of this clone. */
export interface Claimant {
  readonly session?: string | undefined;
  readonly worktree?: string | null | undefined;
  readonly clone?: string | undefined;
}

export interface AdvanceCommand extends VisitTarget, Claimant {
  readonly type: "advance";
  readonly output: string;
  readonly outcome?: string | undefined;
  readonly failed?: boolean | undefined;
  readonly variables?: Readonly<Record<string, VariableValue>> | undefined;
  readonly artifacts?: Readonly<Record<string, string>> | undefined;
  /** Nobody reads the reply, so the session is not given the next visit. */
  readonly undelivered?: boolean | undefined;
  /** Nobody can be asked about a failure, so one that nothing else handles ends the run. */
  readonly unattended?: boolean | undefined;
  /** The results of the visit's gates, checked for this advance. */
  readonly gates?: readonly Evidence[] | undefined;
  /** The results of the ralph step's `until` checks. Without them the step continues. */
  readonly until?: readonly Evidence[] | undefined;
}

/** Who acts, and where, as far as the system tells. `via` is set if that was not at a terminal. */
export interface Actor {
  readonly by: string;
  readonly seat?: Seat | undefined;
  readonly via?: Via | undefined;
}

export interface ReviewCommand extends VisitTarget, Actor {
  readonly type: "review";
  readonly verdict: "continue" | "pivot" | "escalate" | "abandon";
  readonly feedback?: string | undefined;
  /** The git state of the work. */
  readonly work?: { readonly commit: string; readonly dirty: boolean | null } | undefined;
}

/** A person's decision about a visit that failed or was interrupted. */
export interface DecideCommand extends VisitTarget, Actor {
  readonly type: "decide";
  readonly verdict: "retry" | "skip" | "go_to" | "abandon";
  /** Where `go_to` leads. */
  readonly step?: string | undefined;
  readonly reason?: string | undefined;
}

/** What the runner reports while it drives an agent through the run. */
type DrivingCommand =
  | {
      readonly type: "begin-drive";
      /** The process that drives. */
      readonly runner: string;
      readonly agent: string;
      readonly holdfast: string;
      /** Whether the process that drove the run before is gone. */
      readonly interrupted: boolean;
    }
  | { readonly type: "end-drive"; readonly runner: string; readonly why: DriveEnd }
  | ({ readonly type: "begin-attempt" } & VisitTarget & DrivenAgent)
  | ({ readonly type: "lose-attempt"; readonly reason: string } & VisitTarget)
  /** Only a person can tell how the visit goes on. */
  | ({ readonly type: "give-up"; readonly reason: string } & VisitTarget)
  /** The agent has answered with so many messages in its prompt. */
  | { readonly type: "deliver-messages"; readonly token: string; readonly count: number }
  | ({ readonly type: "park" } & Parking)
  | ({ readonly type: "tell"; readonly text: string } & Actor);

/** Every command that a run accepts. */
export type Command =
  | {
      readonly type: "start";
      readonly runId: string;
      readonly templateHash: string;
      readonly worktree?: string | null | undefined;
      readonly summary?: string | undefined;
      readonly request?: string | undefined;
      readonly variables?: Readonly<Record<string, VariableValue>> | undefined;
      readonly session?: string | undefined;
      /** No agent reads the reply, so the first visit is not handed out yet. */
      readonly unread?: boolean | undefined;
    }
  | ({
      readonly type: "claim";
      readonly task?: string | undefined;
      /** The claims whose holders have not been heard of for too long. */
      readonly expired: readonly number[];
    } & Claimant)
  | ({ readonly type: "release" } & VisitTarget & Actor)
  | AdvanceCommand
  | ReviewCommand
  | DecideCommand
  | ({
      readonly type: "hand-out";
      /** Whether the session's hooks would have reported a context action by now. */
      readonly watched?: boolean | undefined;
    } & VisitTarget)
  | ({
      readonly type: "set-tasks";
      readonly loop: string;
      readonly tasks: readonly Task[];
      /** A person sets them by hand, which settles that Holdfast could not get them. */
      readonly person?: Actor | undefined;
    } & Claimant)
  | ({
      readonly type: "start-gates";
      readonly runner: string;
      /** Whether the process that was checking the gates is gone. */
      readonly interrupted: boolean;
    } & VisitTarget)
  | ({
      readonly type: "start-command";
      readonly runner: string;
      /** Whether the process that was running the command is gone. */
      readonly interrupted: boolean;
    } & VisitTarget)
  | ({
      readonly type: "end-command";
      readonly runner: string;
      readonly evidence: Evidence;
      /** The command was stopped before it ended. */
      readonly cancelled: boolean;
      /** What it was carried out for, at a loop that gets its tasks from somewhere. */
      readonly tasks?: readonly Task[] | undefined;
    } & VisitTarget)
  | ({ readonly type: "report-gates"; readonly evidence: readonly Evidence[] } & VisitTarget)
  | ({
      readonly type: "request-approval";
      readonly output?: string | undefined;
      readonly outcome?: string | undefined;
    } & VisitTarget)
  | ({ readonly type: "approve"; readonly reason?: string | undefined } & Asked & Actor & VisitTarget)
  | ({ readonly type: "reject"; readonly reason: string } & Asked & Actor & VisitTarget)
  | ({ readonly type: "ask"; readonly question: string } & VisitTarget)
  | ({
      readonly type: "answer";
      /** The question's id; by default the only open one. */
      readonly question?: string | undefined;
      readonly answer: string;
    } & Actor &
      VisitTarget)
  | ({ readonly type: "withdraw"; readonly question?: string | undefined } & Actor & VisitTarget)
  | {
      readonly type: "update-todo";
      readonly file: string;
      readonly hash: string;
      readonly items: number;
      readonly done: number;
    }
  | ({
      readonly type: "count";
      readonly turns?: number | undefined;
      readonly tokens?: number | undefined;
      readonly cost?: number | undefined;
      /** What of the session's transcript this counts. */
      readonly read?: { readonly from: number; readonly to: TranscriptMark } | undefined;
    } & VisitTarget)
  | ({ readonly type: "open-review" } & VisitTarget)
  | ({ readonly type: "observe-context-action"; readonly action: ContextActionName } & VisitTarget)
  | ({ readonly type: "take-instructions" } & VisitTarget)
  | {
      readonly type: "start-session";
      readonly session: string;
      readonly host: string;
      readonly hostVersion?: string | undefined;
      readonly source: string;
      readonly follows?: string | undefined;
      readonly environment?: Environment | undefined;
      /** Sessions that are open in the run but whose program is gone. */
      readonly lost?: readonly string[] | undefined;
    }
  | {
      readonly type: "end-session";
      readonly session: string;
      readonly reason: string;
      /** The session never goes on, so others may take its tasks. */
      readonly isFinal?: boolean | undefined;
    }
  | { readonly type: "begin-compaction"; readonly session: string; readonly trigger: string }
  | { readonly type: "end-compaction"; readonly session: string; readonly trigger: string; readonly size: number }
  | { readonly type: "edit-card"; readonly edits: CardEdits }
  | {
      readonly type: "note-artifacts";
      readonly session?: string | undefined;
      readonly artifacts: readonly LoadedRecord[];
    }
  | { readonly type: "register-artefacts"; readonly paths: readonly string[] }
  | { readonly type: "set-summary"; readonly summary: string }
  | ({ readonly type: "pause"; readonly reason?: string | undefined } & Actor)
  | ({ readonly type: "resume" } & Actor)
  | ({ readonly type: "abort"; readonly reason: string } & Actor)
  | ({ readonly type: "goto"; readonly step: string; readonly reason: string } & Actor)
  | ({
      readonly type: "reopen";
      /** By default the step where the run ended. */
      readonly step?: string | undefined;
      readonly reason?: string | undefined;
    } & Actor)
  | ({ readonly type: "adopt"; readonly templateHash: string } & Actor)
  | DrivingCommand;
export type CommandType = Command["type"];

/** The person whom the events of a commit name; empty if they name nobody, as what an agent does. */
export function personIn(events: readonly RunEvent[]): string {
  return events.reduce((person, event) => ("by" in event ? (event.by ?? person) : person), "");
}
