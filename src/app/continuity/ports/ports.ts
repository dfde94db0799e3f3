import type { CardReader } from "../../../cards/card-reader.ts";
import { isHoldfastError } from "../../../errors.ts";
import type { RunJournal, Standing } from "../../../journal/run-journal.ts";
import type { LiveRun, StartedRun } from "../../../model/run.ts";
import { isLive } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";
import type { Roots } from "../../../platform/roots.ts";
import type { Settings } from "../../../project/settings.ts";
import type { SessionLogs } from "../../../sessions/session-log.ts";
import type { RunTexts } from "../../../store/run-files.ts";

/** What continuity needs of the world. Hooks bring light drivers, servers the full ones; the story is the same. */
export interface ContinuityPorts {
  readonly roots: Roots;
  /** The folder that the conversation works in. */
  readonly cwd: string;
  readonly journal: RunJournal;
  readonly files: RunTexts;
  readonly sessions: SessionLogs;
  /** Null where cards are switched off. */
  readonly cards: CardReader | null;
  readonly settings: Settings;
  /** What went wrong on the way without stopping it; told in one line at the end. */
  readonly troubles: string[];
  now(): string;
  templateOf(run: StartedRun): Promise<Template>;
  /** Every run that has not ended; those that cannot be read are noted among the troubles. */
  liveRuns(): Promise<readonly Standing[]>;
  /** Whether a process of this machine is still there. */
  isAlive(runner: string): boolean;
}

/** Who tells: which conversation of which host, through whose hook. */
export interface HookSource {
  readonly session: string;
  readonly host: string;
  /** Who installed the hook; two may tell of the same moment. */
  readonly via: string;
  /** The process of the host, told apart from a later one with the same number. */
  readonly parent: string;
}

/** What a hook wants to say, in no host's words. */
export interface HookReply {
  readonly context?: string;
  readonly block?: string;
  readonly instructions?: string;
  readonly notice?: string;
}

export type LiveStanding = Standing & { readonly run: LiveRun };

export function isLiveStanding(standing: Standing): standing is LiveStanding {
  return isLive(standing.run);
}

/** Hooks fail open: what the disk refuses is noted, and the rest goes on. */
export async function attempt<T>(ports: ContinuityPorts, act: () => T | Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    ports.troubles.push(error.message);
    return null;
  }
}
