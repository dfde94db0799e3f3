import { relative, sep } from "node:path";
import type { Card, OwnCard } from "../../../cards/card.ts";
import { createCardFolder } from "../../../cards/card-folder.ts";
import { type CardFile, openCards } from "../../../cards/card-reader.ts";
import { detectWorkflow } from "../../../cards/detect.ts";
import { isOver } from "../../../cards/read-fields.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import { emptyMemory, type HandoffFacts } from "../../../handoff/facts.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** A workflow without a run, and the other ones like it. */
export interface Tracked {
  readonly card: Card;
  /** Where its state is, relative to the project: its card, or the text that it was found in. */
  readonly file: string;
  readonly updatedAt: string;
  readonly others: readonly Card[];
}

/** The key of a card that names the project file it follows. */
export const sourceKey = "source";
/** The key with the context that was last read from that file. */
export const sourceContextKey = "source_context";

/** Before a compaction: refreshes a card that someone maintains; else writes one from a file in the project. */
export async function refreshTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (!settings.cards.on || !settings.tracked.on) return null;
  const cards = createCardFolder(ports.roots.stateRoot, settings.cards);
  const now = ports.now();
  const [maintained] = trackedCards(ports, now).filter(({ card }) => sourceFile(card) === null);
  if (maintained !== undefined) {
    ports.troubles.push(...cards.save(toOwnCard(maintained.card), now).notes);
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

/** The newest active card. A card that follows a file is active as long as the file describes it. */
export async function findTracked(ports: ContinuityPorts): Promise<Tracked | null> {
  const { settings } = ports;
  if (!settings.cards.on || !settings.tracked.on) return null;
  const all = trackedCards(ports, ports.now());
  const detected = all.some(({ card }) => sourceFile(card) !== null) ? detectedSource(ports) : null;
  const active = all.filter(({ card }) => sourceFile(card) === null || sourceFile(card) === detected);
  const [first, ...others] = active;
  if (first === undefined) return null;
  const { card, file, updatedAt } = first;
  return { card, updatedAt, file: shownPath(ports, file), others: others.map((other) => other.card) };
}

function detectedSource({ roots, settings }: ContinuityPorts): string | null {
  return detectWorkflow(roots.projectRoot, settings.tracked).found?.source ?? null;
}

/** After a context loss: the newest active card, else a workflow that exists only as text so far. */
export async function findRestorable(ports: ContinuityPorts): Promise<Tracked | null> {
  const { roots, settings } = ports;
  const tracked = await findTracked(ports);
  if (tracked !== null || !settings.cards.on || !settings.tracked.on) return tracked;
  const { found } = detectWorkflow(roots.projectRoot, settings.tracked);
  if (found === null) return null;
  const { source, ...card } = found;
  const now = ports.now();
  const unsaved = { created_at: now, updated_at: now, run_id: null, version: null, other: { [sourceKey]: source } };
  return { card: { ...card, ...unsaved }, file: source, updatedAt: now, others: [] };
}

/** What a handoff says about a tracked workflow. */
export function trackedFacts(ports: ContinuityPorts, { card, file, updatedAt, others }: Tracked): HandoffFacts {
  const { roots, settings } = ports;
  const reading = checkReading(roots.projectRoot, card.required_reading);
  const detected = detectWorkflow(roots.projectRoot, settings.tracked);
  const plans = [...detected.others, ...(detected.found === null ? [] : [detected.found.source])];
  const named = [card, ...others].map(sourceFile);
  return {
    runId: null,
    stateFile: file,
    workflow: card.workflow,
    workflowType: card.workflow_type,
    summary: null,
    phase: card.phase,
    updatedAt,
    done: [],
    request: null,
    lastOutput: null,
    here: null,
    tasks: null,
    requiredReading: reading.entries,
    keyReminders: card.key_reminders,
    context: card.context,
    feedback: [],
    memory: emptyMemory,
    others: [
      ...others.map(({ workflow, phase }) => ({ id: workflow, where: `phase ${phase.current}/${phase.total}` })),
      ...plans.filter((plan) => !named.includes(plan)).map((plan) => ({ id: `@${plan}`, where: "in progress" })),
    ],
    notes: reading.notes,
  };
}

/** Cards of workflows that have no run and are not complete. */
function trackedCards(ports: ContinuityPorts, now: string): CardFile[] {
  const { troubles } = ports;
  const { cards: all = [], notes = [] } = openCards(ports)?.list(now) ?? {};
  troubles.push(...notes.filter((note) => !troubles.includes(note)));
  return all.filter(({ card }) => card.run_id === null && !isOver(card.phase));
}

function shownPath({ roots }: ContinuityPorts, file: string): string {
  return relative(roots.projectRoot, file).split(sep).join("/");
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
