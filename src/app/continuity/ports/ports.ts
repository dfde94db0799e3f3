import type { Notice } from "../../../engine/commands/notices.ts";
import { isHoldfastError } from "../../../errors.ts";
import type { RunJournal, Standing } from "../../../journal/run-journal.ts";
import type { Glance } from "../../../journal/stored-runs.ts";
import type { StartedRun } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import type { Roots } from "../../../platform/roots.ts";
import type { Settings } from "../../../project/settings.ts";
import type { SessionLogs } from "../../../sessions/session-log.ts";
import type { NoticeQueue } from "../../../store/notice-queue.ts";
import type { CopyAge } from "../../../store/reach.ts";
import type { RunTexts } from "../../../store/run-files.ts";
import type { Machine } from "../../privacy/portable-text.ts";

/** What continuity needs. Hooks pass light drivers, servers the full ones; the code is the same. */
export interface ContinuityPorts {
  readonly roots: Roots;
  /** The working folder of the conversation. */
  readonly cwd: string;
  readonly journal: RunJournal;
  readonly files: RunTexts;
  readonly sessions: SessionLogs;
  readonly settings: Settings;
  /** Problems that did not stop the work; reported in one line at the end. */
  readonly troubles: string[];
  now(): string;
  templateOf(run: StartedRun): Promise<Template>;
  /** Every live run. Unreadable runs are added to the troubles. */
  liveRuns(): Promise<readonly Glance[]>;
  /** For a run that is a copy of one in a shared store: where hooks put their notices. Null if they write the journal. */
  queueOf(runId: string): Promise<NoticeQueue | null>;
  /** Whether somebody works on it from this clone. Other runs of a shared store are meant only where they are named. */
  isHere(runId: string): Promise<boolean>;
  /** Whether it was removed from a shared store, and only a copy is left here. */
  isRemoved(runId: string): boolean;
  /** When a copy of a run was last known to be up to date, if the shared store could not be used since. */
  ageOfCopy(runId: string): Promise<CopyAge | undefined>;
  /** What must not be kept of this machine in a text. */
  machine(): Machine;
  /** Whether a process of this machine is still alive. */
  isAlive(runner: string): boolean;
}

/** Where a hook event comes from: which session of which host, and which installed hook. */
export interface HookSource {
  readonly session: string;
  readonly host: string;
  /** The host's version, where it tells. */
  readonly version?: string | undefined;
  /** Which installation sent it; two may report the same event. */
  readonly via: string;
  /** Identifies the host's process, also after its number is reused. */
  readonly parent: string;
}

/** A hook's reply, before it is translated for the host. */
export interface HookReply {
  readonly context?: string;
  readonly block?: string;
  readonly instructions?: string;
  readonly notice?: string;
  /** The run that the context or the block tells of. */
  readonly about?: Told;
}

/** What a hook tells a model of a run, and of which visit. */
interface Told {
  readonly standing: Standing;
  readonly visit: string | null;
  readonly kind: "handoff" | "subagent" | "hold";
}

/** Hooks fail open: a system error is added to the troubles, and the rest goes on. */
export async function attempt<T>(ports: ContinuityPorts, act: () => T | Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    ports.troubles.push(error.message);
    return null;
  }
}

/** Appends a hook's notices to the run's journal, or queues them. Loads the code that writes only on demand. */
export async function recordNotices(
  ports: ContinuityPorts,
  before: Standing,
  commands: readonly Notice[],
): Promise<Standing> {
  if (commands.length === 0) return before;
  const queue = await ports.queueOf(before.run.runId);
  if (queue !== null) return (await import("./queued-notices.ts")).queueNotices(ports, queue, before, commands);
  const { appendNotices } = await import("./append-notices.ts");
  return appendNotices(ports, before, commands);
}
