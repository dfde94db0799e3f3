import { type Notice, notice } from "../../../engine/commands/notices.ts";
import { isHoldfastError } from "../../../errors.ts";
import type { RunJournal, Standing } from "../../../journal/run-journal.ts";
import type { RunEvent } from "../../../model/event.ts";
import type { StartedRun } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import { commitAndRemember, type SessionLogs } from "../../../sessions/session-log.ts";

/** The part of the ports that writing takes. */
interface JournalPorts {
  readonly journal: RunJournal;
  readonly sessions: SessionLogs;
  now(): string;
  templateOf(run: StartedRun): Promise<Template>;
}

/** Appends a hook's notices to the run's journal as one commit. After a conflict it tries again. */
export async function appendNotices(
  ports: JournalPorts,
  before: Standing,
  commands: readonly Notice[],
): Promise<Standing> {
  let standing = before;
  for (;;) {
    const template = await ports.templateOf(standing.run);
    const { events, run } = decideAll(template, standing.run, commands, ports.now());
    if (events.length === 0) return standing;
    try {
      const commit = () => ports.journal.append(run.runId, standing, events, run);
      return await commitAndRemember(ports.sessions, run.runId, events, commit);
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
      const current = await ports.journal.load(run.runId);
      if (current === null) return standing;
      standing = current;
    }
  }
}

/** Skips notices that are refused, for example because the run has ended meanwhile. */
function decideAll(template: Template, start: StartedRun, commands: readonly Notice[], at: string) {
  let run = start;
  const events: RunEvent[] = [];
  for (const command of commands) {
    const decision = notice(template, run, command, at);
    if (!decision.ok || decision.run.status === "absent") continue;
    events.push(...decision.events);
    run = decision.run;
  }
  return { events, run };
}
