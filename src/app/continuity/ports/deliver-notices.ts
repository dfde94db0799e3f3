import { join } from "node:path";
import { isHoldfastError } from "../../../errors.ts";
import type { RunJournal, Standing } from "../../../journal/run-journal.ts";
import type { RunEvent } from "../../../model/event.ts";
import type { StartedRun } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import type { Deps } from "../../../operation/operation.ts";
import { stateFolder } from "../../../platform/links.ts";
import { checkedEvents } from "../../../store/file-store.ts";
import { createNoticeQueue, type NoticeQueue, type QueuedNotice } from "../../../store/notice-queue.ts";
import { readReach } from "../../../store/reach.ts";
import { readFrozen } from "../../workflows/frozen-template.ts";
import { decideQueued, undelivered } from "./queued-notices.ts";

/**
 * Records what hooks of this machine have queued about a run of a shared store. If that cannot be reached, the notices go on
 * waiting: whatever the caller is about to do is refused with a better reason, or needs no connection.
 */
export async function deliverQueued(deps: Deps, standing: Standing): Promise<Standing> {
  const state = join(deps.roots.stateRoot, stateFolder);
  const queue = createNoticeQueue(join(state, "runs"), standing.run.runId);
  // The run has just been loaded. If that has failed to reach the store, so would this.
  if (readReach(state).failed !== null) return standing;
  const templateOf = async (run: StartedRun) => (await readFrozen(deps, run)).template;
  try {
    return await deliverNotices({ journal: deps.journal, templateOf }, queue, standing);
  } catch (error) {
    if (isHoldfastError(error)) return standing;
    throw error;
  }
}

interface DeliveryPorts {
  readonly journal: Pick<RunJournal, "load" | "append" | "read">;
  templateOf(run: StartedRun): Promise<Template>;
}

/**
 * Records what hooks have queued about a run, once. The commit names the notices that it delivers. Whoever finds them in
 * the queue later, because a process was killed or an answer was lost, sees there that they are delivered; and of two
 * processes that deliver at the same time, one gets a version conflict and looks again.
 */
export async function deliverNotices(ports: DeliveryPorts, queue: NoticeQueue, before: Standing): Promise<Standing> {
  let standing = before;
  for (;;) {
    // Read after the run was loaded: what others have delivered since then makes the append fail.
    const queued = queue.read();
    if (queued.length === 0) return standing;
    const delivered = await deliver(ports, standing, await undelivered(ports.journal, standing, queued));
    const current = typeof delivered === "string" ? await ports.journal.load(standing.run.runId) : delivered;
    if (current === null) return standing;
    // What changes nothing is not appended; then only a second look shows that it was decided on the last commit.
    const isSettled = delivered === "nothing to append" ? current.head === standing.head : delivered !== "conflict";
    standing = current;
    if (!isSettled) continue;
    queue.retire();
    if (queue.clear(new Set(queued.map(({ id }) => id)))) return standing;
  }
}

async function deliver(
  ports: DeliveryPorts,
  standing: Standing,
  waiting: readonly QueuedNotice[],
): Promise<Standing | "conflict" | "nothing to append"> {
  const template = await ports.templateOf(standing.run);
  const { events, run } = decideQueued(template, standing.run, waiting);
  const [first, ...others] = events;
  if (first === undefined) return "nothing to append";
  const delivering: RunEvent[] = [{ ...first, delivers: waiting.map(({ id }) => id) }, ...others];
  // Nothing that a reader of the journal would refuse may get into it, whatever someone wrote into the queue.
  if (typeof checkedEvents(delivering) === "string") return "nothing to append";
  try {
    return await ports.journal.append(run.runId, standing, delivering, run);
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) return "conflict";
    throw error;
  }
}
