import { relative, sep } from "node:path";
import type { Card, OwnCard } from "../../../cards/card.ts";
import { phaseWarning } from "../../../cards/phase.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import type { TrackedPorts } from "./choose-tracked.ts";
import { followedBy, ownOf, sourceKey, toldKey } from "./tracked.ts";

/** A tracked workflow as its card tells it now. */
export interface TrackedReply extends Omit<Card, "run_id" | "version" | "other"> {
  /** The state card, from the top of the project. */
  readonly file: string;
  /** What is odd, and was kept all the same. */
  readonly notes: readonly string[];
}

/** What a command may change of a card; lists are what is added. */
export interface TrackedChange {
  readonly phase?: Card["phase"];
  readonly reading?: readonly string[] | undefined;
  readonly reminder?: readonly string[] | undefined;
  readonly set?: Readonly<Record<string, unknown>> | undefined;
}

/** Changes a tracked workflow's card and nothing else in it. From then on it is kept by command, and follows no text. */
export function changeTracked(tracked: TrackedPorts, card: Card, change: TrackedChange): TrackedReply {
  const { reading = [], reminder = [], set = {} } = change;
  const before = ownOf(card);
  const { [sourceKey]: _followed, [toldKey]: _told, ...other } = card.other;
  const own: OwnCard = {
    ...before,
    phase: change.phase ?? card.phase,
    required_reading: [...card.required_reading, ...reading],
    key_reminders: [...card.key_reminders, ...reminder],
    context: { ...card.context, ...set },
    other,
    // It counts only where the card does not say when it was created.
    created_at: tracked.ports.now(),
  };
  const followed = followedBy(card);
  const left = followed === null ? [] : [`${followed} is not followed any more: this card counts now`];
  return saveTracked(tracked, own, before, left);
}

/** Writes the card of a tracked workflow; `before` is the card that the change was made to. */
export function saveTracked(
  { ports, cards }: TrackedPorts,
  own: OwnCard,
  before: OwnCard | null,
  notes: readonly string[],
): TrackedReply {
  const now = ports.now();
  const saved = cards.save(own, now, before);
  const written = cards.list(now).cards.find(({ file }) => file === saved.file);
  const whole = written?.card ?? { ...own, updated_at: now, version: null };
  const { run_id: _run, version: _version, other: _other, ...card } = whole;
  const { stateRoot, projectRoot } = ports.roots;
  return {
    ...card,
    file: relative(stateRoot, saved.file).split(sep).join("/"),
    notes: [...new Set([...ports.troubles, ...saved.notes, ...notes, ...cardWarnings(card, projectRoot)])],
  };
}

function cardWarnings({ phase, required_reading }: Pick<Card, "phase" | "required_reading">, projectRoot: string) {
  const doubt = phaseWarning(phase);
  const { entries, notes } = checkReading(projectRoot, required_reading);
  const missing = entries.filter((entry) => entry.missing).map(({ path }) => `${path} is not there`);
  return [...(doubt === null ? [] : [doubt]), ...notes, ...missing];
}
