import type { Standing } from "../../journal/run-journal.ts";
import type { Deps } from "../../operation/operation.ts";
import type { CheckedGate, Differences } from "../../serve/contract/query-answers.ts";
import { addType, type EventTypes, gatesIn } from "./checks.ts";
import { digestOf, knownUpTo, markEvery, typesAt } from "./run-digest.ts";

/** More gates than these help nobody: the last ones count, and how many there were before. */
const mostGates = 200;

type Between = Pick<Differences, "events" | "gates" | "gatesLeftOut">;

/**
 * The events after a moment, up to one of them. Reads either them or, if that is less, what the digest of the run does not
 * have yet: a server has nearly all of it in memory, a new process nothing.
 */
export async function eventsBetween(
  deps: Pick<Deps, "store">,
  earlier: Standing,
  upTo: number,
  last: number,
): Promise<Between> {
  const { runId, seq } = earlier.run;
  const unread = last - knownUpTo(deps, runId) + 2 * markEvery;
  return upTo - seq <= unread ? readBetween(deps, earlier, upTo) : recallBetween(deps, runId, seq, upTo);
}

async function readBetween(
  { store }: Pick<Deps, "store">,
  { version, place, run }: Standing,
  upTo: number,
): Promise<Between> {
  const types: EventTypes = new Map();
  const gates: CheckedGate[] = [];
  let left = 0;
  for await (const { events } of store.read(run.runId, { version, place })) {
    for (const event of events) {
      if (event.seq <= run.seq || event.seq > upTo) continue;
      addType(types, event);
      gates.push(...gatesIn(event));
    }
    if (gates.length > 2 * mostGates) left += gates.splice(0, gates.length - mostGates).length;
    if ((events.at(-1)?.seq ?? 0) >= upTo) break;
  }
  const shown = gates.slice(-mostGates);
  return { events: Object.fromEntries(types), gates: shown, gatesLeftOut: left + gates.length - shown.length };
}

async function recallBetween(deps: Pick<Deps, "store">, runId: string, after: number, upTo: number): Promise<Between> {
  const digest = await digestOf(deps, runId);
  const before = await typesAt(deps, runId, digest, after);
  const types = [...(await typesAt(deps, runId, digest, upTo))].flatMap(([type, count]) => {
    const added = count - (before.get(type) ?? 0);
    return added === 0 ? [] : [[type, added] as const];
  });
  const { gates } = digest.checks;
  const [first, end] = [firstAfter(gates, after), firstAfter(gates, upTo)];
  const from = Math.max(first, end - mostGates);
  return { events: Object.fromEntries(types), gates: gates.slice(from, end), gatesLeftOut: from - first };
}

/** The index of the first gate that was checked after an event. */
function firstAfter(gates: readonly CheckedGate[], event: number): number {
  let [low, high] = [0, gates.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((gates[middle]?.event ?? 0) <= event) low = middle + 1;
    else high = middle;
  }
  return low;
}
