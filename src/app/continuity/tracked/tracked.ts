import type { Card, OwnCard } from "../../../cards/card.ts";
import { createCardFolder } from "../../../cards/card-folder.ts";
import { detectWorkflow } from "../../../cards/detect.ts";
import { isOver } from "../../../cards/phase.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import { emptyMemory, type HandoffFacts } from "../../../handoff/facts.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** A workflow that only its card knows, and the others like it. */
export interface Tracked {
  readonly card: Card;
  readonly others: readonly Card[];
}

/** Which key of a card says that it follows a text in the project, and which. */
export const sourceKey = "source";
/** Which key keeps what that text told when it was last read. */
export const toldKey = "source_context";

/** Before a compaction: a card that someone keeps wins; else what a text in the project says is put into one. */
export async function keepTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (ports.cards === null || !settings.tracked.on) return null;
  const cards = createCardFolder(ports.roots.stateRoot, settings.cards);
  const now = ports.now();
  const [kept] = trackedCards(ports, now).filter((card) => followedBy(card) === null);
  if (kept !== undefined) {
    ports.troubles.push(...cards.save(ownOf(kept), now).notes);
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
    other: { [sourceKey]: source, [toldKey]: context },
  };
  // What the text said last time, and does not say any more, is not to be kept as if someone had added it.
  const there = cards.list(now).cards.find(({ card }) => card.run_id === null && card.workflow === own.workflow)?.card;
  const earlier = there === undefined ? undefined : { ...own, context: toldBy(there), other: there.other };
  ports.troubles.push(...cards.save(own, now, earlier).notes);
  return findTracked(ports);
}

/** After a loss of context: the newest card that still holds. One that follows a text holds as long as the text says so. */
export async function findTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (ports.cards === null || !settings.tracked.on) return null;
  const all = trackedCards(ports, ports.now());
  const followed = all.some((card) => followedBy(card) !== null)
    ? (detectWorkflow(ports.roots.projectRoot, settings.tracked).found?.source ?? null)
    : null;
  const [card, ...others] = all.filter((each) => followedBy(each) === null || followedBy(each) === followed);
  return card === undefined ? null : { card, others };
}

/** What a handoff tells of such a workflow. */
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

/** Cards without a run that are not over. */
function trackedCards({ cards, troubles }: ContinuityPorts, now: string): Card[] {
  if (cards === null) return [];
  const { cards: all, notes } = cards.list(now);
  troubles.push(...notes);
  return all.map(({ card }) => card).filter((card) => card.run_id === null && !isOver(card.phase));
}

/** The text that a card follows; null for one that someone keeps. */
export function followedBy({ other }: Card): string | null {
  const source = other[sourceKey];
  return typeof source === "string" ? source : null;
}

/** A card as we would write it ourselves. */
export function ownOf({ updated_at: _updated, version: _version, ...card }: Card): OwnCard {
  return card;
}

function toldBy({ other }: Card): Readonly<Record<string, unknown>> {
  const told = other[toldKey];
  return typeof told === "object" && told !== null ? { ...told } : {};
}
