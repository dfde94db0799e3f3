import type { AccessFacts } from "./refusal-access.ts";
import type { ArtifactFacts } from "./refusal-artifacts.ts";
import type { AskingFacts } from "./refusal-asking.ts";
import type { ClaimFacts } from "./refusal-claims.ts";
import type { DecidingFacts } from "./refusal-deciding.ts";
import type { DrivingFacts } from "./refusal-driving.ts";
import type { MovingFacts } from "./refusal-moving.ts";
import type { StartingFacts } from "./refusal-starting.ts";
import type { StoreFacts } from "./refusal-store.ts";
import type { TrackingFacts } from "./refusal-tracking.ts";
import type { VariableFacts } from "./refusal-variables.ts";

/** Every refusal code with its facts. A new code starts here; `refusal-words.ts` has the texts. */
export interface RefusalFacts
  extends AccessFacts,
    ArtifactFacts,
    AskingFacts,
    ClaimFacts,
    DecidingFacts,
    DrivingFacts,
    MovingFacts,
    StartingFacts,
    StoreFacts,
    TrackingFacts,
    VariableFacts {
  "run-unknown": {
    readonly run: string | null;
    /** How many runs are not used because they came with the repository. */
    readonly tracked?: number;
    /** Set in a project whose runs are shared: others of the team may be meant by name. */
    readonly shared?: true;
  };
  "run-ambiguous": {
    readonly runs: readonly string[];
    /** Set if there may be more than these. */
    readonly atLeast?: true;
    /** What the caller named; absent if no run was named. */
    readonly named?: string;
    /** Set if an ended run is looked for. */
    readonly ended?: true;
  };
  "run-live": { readonly run: string };
  "workflow-unknown": { readonly workflow: string; readonly known: readonly string[] };
  "template-invalid": { readonly file: string; readonly problems: readonly string[] };
  "template-untrusted": {
    readonly workflow: string;
    readonly commands: readonly string[];
    /** Everything that trust would cover, and what of it is new since it was last trusted. */
    readonly covers: readonly string[];
    readonly changes: readonly string[];
    /** Set if a start brings commands along, which trusting the workflow does not cover. */
    readonly given?: true;
  };
  "person-needed": { readonly what: string; readonly why: string; readonly inAgent?: true };
  "confirmation-needed": { readonly what: string };
  "event-unknown": { readonly event: number; readonly last: number };
  "run-absent": Record<never, never>;
  "run-exists": { readonly runId: string };
  "run-ended": { readonly status: string; readonly outputIgnored: boolean };
  "run-paused": { readonly reason: string | null };
  "run-not-paused": { readonly status: string };
  "step-stale": {
    readonly sent: string;
    readonly spent: boolean;
    readonly open: readonly string[];
    /** Set when no token was sent, so `sent` is the token of the visit the session was given last. */
    readonly seat?: true;
    /** Set when visits are open, but none that is known to be the caller's. */
    readonly elsewhere?: true;
  };
  "step-unknown": { readonly step: string; readonly known: readonly string[] };
  "instructions-not-taken": { readonly token: string; readonly step: string };
  "tasks-missing": { readonly loop: string };
  "loop-unknown": { readonly loop: string; readonly known: readonly string[] };
  "loop-finished": { readonly loop: string };
  "task-invalid": { readonly index: number; readonly problem: string };
  "outcome-needed": { readonly step: string; readonly known: readonly string[] };
  "outcome-unknown": { readonly outcome: string; readonly known: readonly string[] };
  "outcome-unexpected": { readonly outcome: string; readonly failed: boolean };
  "gate-unchecked": { readonly gates: readonly number[] };
  "gate-failed": {
    readonly gate: number;
    readonly what: string;
    readonly exitCode: number | null;
    readonly tail: string;
  };
  "gate-running": { readonly token: string; readonly seconds: number };
  /** `task` is set where several agents work on a loop; `free` are other tasks of it that nobody works on. */
  "approval-needed": { readonly token: string; readonly task?: string; readonly free?: readonly string[] };
  "approval-not-asked": { readonly token: string; readonly isOther?: boolean };
  "approval-elsewhere": { readonly token: string; readonly places: readonly string[] };
  "review-needed": { readonly token: string; readonly task?: string; readonly spent: string; readonly of?: "run" };
  "review-not-open": { readonly token: string };
  "continue-refused": { readonly continues: number };
  "template-changed": { readonly run: string };
  "template-unfit": { readonly step: string; readonly problem: string };
}
