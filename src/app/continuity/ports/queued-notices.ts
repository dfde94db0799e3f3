import { randomUUID } from "node:crypto";
import { type Notice, notice, notices } from "../../../engine/commands/notices.ts";
import type { RunJournal, Standing } from "../../../journal/run-journal.ts";
import type { RunEvent } from "../../../model/event.ts";
import { isRecord } from "../../../model/json.ts";
import type { StartedRun } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import { commitAndRemember, type SessionLogs } from "../../../sessions/session-log.ts";
import type { NoticeQueue, QueuedNotice } from "../../../store/notice-queue.ts";

// The notices of hooks about a run of a shared store. A hook waits for no network: it reads the copy of the journal, and
// what it has to record waits in a queue. Until that is delivered, hooks see the run as if it had been.

interface QueuePorts {
  readonly journal: Pick<RunJournal, "read">;
  readonly sessions: SessionLogs;
  now(): string;
  templateOf(run: StartedRun): Promise<Template>;
}

/** Puts a hook's notices into the queue, and returns the run as it will be when they are delivered. */
export async function queueNotices(
  ports: Omit<QueuePorts, "journal">,
  queue: NoticeQueue,
  before: Standing,
  commands: readonly Notice[],
): Promise<Standing> {
  const at = ports.now();
  const { version, place } = before;
  const queued = commands.map((command) => ({
    id: randomUUID().slice(0, 18),
    at,
    version,
    place,
    notice: command,
  }));
  const { events, run, effective } = decideQueued(await ports.templateOf(before.run), before.run, queued);
  if (events.length === 0) return before;
  await commitAndRemember(ports.sessions, run.runId, events, async () => queue.add(effective));
  rememberOutcome(queue, before, effective, run);
  return { ...before, run };
}

/** For the hooks to come, unless another one has queued something meanwhile: then they find out for themselves. */
function rememberOutcome(
  queue: NoticeQueue,
  before: Standing,
  added: readonly QueuedNotice[],
  outcome: StartedRun,
): void {
  const all = queue.read();
  const earlier = all.slice(0, -added.length);
  const isLast = all.slice(-added.length).every(({ id }, index) => id === added[index]?.id);
  const known = earlier.length === 0 ? before.run : queue.recall(before.head, earlier);
  if (isLast && isRecord(known) && known.seq === before.run.seq) queue.remember(before.head, all, outcome);
}

/** The run as hooks see it: its copy, and what waits to be recorded about it. */
export async function withQueued(
  ports: Pick<QueuePorts, "journal" | "templateOf">,
  queued: readonly QueuedNotice[],
  standing: Standing,
): Promise<Standing> {
  const waiting = await undelivered(ports.journal, standing, queued);
  if (waiting.length === 0) return standing;
  const { run } = decideQueued(await ports.templateOf(standing.run), standing.run, waiting);
  return { ...standing, run };
}

/**
 * The notices that no commit of the run has delivered. A commit that delivers some names all of them, also those that
 * changed nothing: decided once more on a later state, they might.
 */
export async function undelivered(
  journal: Pick<RunJournal, "read">,
  { version, run: { runId } }: Standing,
  queued: readonly QueuedNotice[],
): Promise<readonly QueuedNotice[]> {
  const [first] = [...queued].sort((a, b) => a.version - b.version);
  if (first === undefined || first.version >= version) return queued;
  const delivered = new Set<string>();
  for await (const commit of journal.read(runId, first)) {
    // What came later is not in this standing.
    if (commit.version > version) break;
    for (const event of commit.events) for (const id of event.delivers ?? []) delivered.add(id);
  }
  return queued.filter(({ id }) => !delivered.has(id));
}

interface Decided {
  readonly events: readonly RunEvent[];
  readonly run: StartedRun;
  /** The notices that these events come from. */
  readonly effective: readonly QueuedNotice[];
}

/** Leaves out notices that are refused, for example because the run has ended meanwhile. */
export function decideQueued(template: Template, start: StartedRun, queued: readonly QueuedNotice[]): Decided {
  let run = start;
  const events: RunEvent[] = [];
  const effective: QueuedNotice[] = [];
  for (const each of queued) {
    if (!isKnown(each.notice)) continue;
    // The times of a journal never go back.
    const decision = notice(template, run, each.notice, later(each.at, run.updatedAt));
    if (!decision.ok || decision.run.status === "absent" || decision.events.length === 0) continue;
    events.push(...decision.events);
    run = decision.run;
    effective.push(each);
  }
  return { events, run, effective };
}

/** A line in the queue has a hash; of a later version it may have a type that this one does not know. */
function isKnown(value: unknown): value is Notice {
  return isRecord(value) && typeof value.type === "string" && Object.hasOwn(notices, value.type);
}

function later(a: string, b: string): string {
  return Date.parse(a) > Date.parse(b) ? a : b;
}
