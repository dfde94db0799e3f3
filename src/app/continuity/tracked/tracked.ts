import type { Card, OwnCard } from "../../../cards/card.ts";
import { createCardFolder } from "../../../cards/card-folder.ts";
import { detectWorkflow } from "../../../cards/detect.ts";
import { isOver } from "../../../cards/read-fields.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import { emptyMemory, type HandoffFacts } from "../../../handoff/facts.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** A workflow that has a card but no run, and the other ones like it. */
export interface Tracked {
  readonly card: Card;
  readonly others: readonly Card[];
}

/** The key of a card that names the project file it follows. */
export const sourceKey = "source";
/** The key with the context that was last read from that file. */
export const sourceContextKey = "source_context";

/** Before a compaction: refreshes a card that someone maintains; else writes one from a file in the project. */
export async function refreshTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (ports.cards === null || !settings.tracked.on) return null;
  const cards = createCardFolder(ports.roots.stateRoot, settings.cards);
  const now = ports.now();
  const [maintained] = trackedCards(ports, now).filter((card) => sourceFile(card) === null);
  if (maintained !== undefined) {
    ports.troubles.push(...cards.save(toOwnCard(maintained), now).notes);
    return findTracked(ports);
  }
  const { found } = detectWorkflow(ports.roots.projectRoot, settings.tracked);
  if (found === null) return null;
  const { source, ...detected } = found;
  const { context } = detected;
  const own: OwnCard = {
    ...detected,
    created_at: now,
    run_id: null,
    other: { [sourceKey]: source, [sourceContextKey]: context },
  };
  // What the file said last time but no longer says must not be kept as if someone had added it.
  const there = cards.list(now).cards.find(({ card }) => card.run_id === null && card.workflow === own.workflow)?.card;
  const earlier = there === undefined ? undefined : { ...own, context: sourceContext(there), other: there.other };
  ports.troubles.push(...cards.save(own, now, earlier).notes);
  return findTracked(ports);
}

/** After a context loss: the newest active card. A card that follows a file is active as long as the file describes it. */
export async function findTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (ports.cards === null || !settings.tracked.on) return null;
  const all = trackedCards(ports, ports.now());
  const detected = all.some((card) => sourceFile(card) !== null)
    ? (detectWorkflow(ports.roots.projectRoot, settings.tracked).found?.source ?? null)
    : null;
  const [card, ...others] = all.filter((each) => sourceFile(each) === null || sourceFile(each) === detected);
  return card === undefined ? null : { card, others };
}

/** What a handoff says about a tracked workflow. */
export function trackedFacts(ports: ContinuityPorts, { card, others }: Tracked): HandoffFacts {
  const reading = checkReading(ports.roots.projectRoot, card.required_reading);
  return {
    runId: null,
    workflow: card.workflow,
    workflowType: card.workflow_type,
    summary: null,
    phase: card.phase,
    updatedAt: card.updated_at ?? card.created_at,
    done: [],
    lastOutput: null,
    here: null,
    requiredReading: reading.entries,
    keyReminders: card.key_reminders,
    context: card.context,
    feedback: [],
    memory: emptyMemory,
    others: others.map(({ workflow, phase }) => ({ id: workflow, where: `phase ${phase.current}/${phase.total}` })),
    notes: reading.notes,
  };
}

/** Cards of workflows that have no run and are not complete. */
function trackedCards({ cards, troubles }: ContinuityPorts, now: string): Card[] {
  if (cards === null) return [];
  const { cards: all, notes } = cards.list(now);
  troubles.push(...notes);
  return all.map(({ card }) => card).filter((card) => card.run_id === null && !isOver(card.phase));
}

/** The file that a card follows; null if someone maintains it by hand or by command. */
export function sourceFile({ other }: Card): string | null {
  const source = other[sourceKey];
  return typeof source === "string" ? source : null;
}

/** The part of a card that we write. */
export function toOwnCard({ updated_at: _updated, version: _version, ...card }: Card): OwnCard {
  return card;
}

function sourceContext({ other }: Card): Readonly<Record<string, unknown>> {
  const context = other[sourceContextKey];
  return typeof context === "object" && context !== null ? { ...context } : {};
}
