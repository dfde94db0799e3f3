import { isAbsolute, relative, sep } from "node:path";
import type { Card, OwnCard } from "../../../cards/card.ts";
import { phaseWarning } from "../../../cards/read-fields.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import { pathInside } from "../../../platform/path-inside.ts";
import type { TrackedPorts } from "./choose-tracked.ts";
import { sourceContextKey, sourceFile, sourceKey, toOwnCard } from "./tracked.ts";

/** The current state of a tracked workflow. */
export interface TrackedReply extends Omit<Card, "run_id" | "version" | "other"> {
  /** The state card, relative to the project. */
  readonly file: string;
  /** Warnings about values that were saved anyway. */
  readonly notes: readonly string[];
}

/** What a command can change in a card. List items are added to those already there. */
export interface TrackedChange {
  readonly phase?: Card["phase"];
  readonly reading?: readonly string[] | undefined;
  readonly reminder?: readonly string[] | undefined;
  readonly set?: Readonly<Record<string, unknown>> | undefined;
}

/** Applies a change to a tracked workflow's card. From then on the card no longer follows a file. */
export function changeTracked(tracked: TrackedPorts, card: Card, change: TrackedChange): TrackedReply {
  const { reading = [], reminder = [], set = {} } = change;
  const before = toOwnCard(card);
  const { [sourceKey]: _source, [sourceContextKey]: _context, ...other } = card.other;
  const own: OwnCard = {
    ...before,
    phase: change.phase ?? card.phase,
    required_reading: [...card.required_reading, ...reading],
    key_reminders: [...card.key_reminders, ...reminder],
    context: { ...card.context, ...set },
    other,
    // Used only if the card has no creation time of its own.
    created_at: tracked.ports.now(),
  };
  const source = sourceFile(card);
  const notes = source === null ? [] : [`this card no longer follows ${source}`];
  return saveTracked(tracked, own, before, notes);
}

/** Writes the card of a tracked workflow; `before` is the card that the change was made to. */
export function saveTracked(
  { ports, cards }: TrackedPorts,
  own: OwnCard,
  before: OwnCard | null,
  notes: readonly string[],
): TrackedReply {
  const now = ports.now();
  const { stateRoot, projectRoot } = ports.roots;
  const required_reading = own.required_reading.map((entry) => relativeEntry(projectRoot, entry));
  const saved = cards.save({ ...own, required_reading }, now, before);
  const written = cards.list(now).cards.find(({ file }) => file === saved.file);
  const whole = written?.card ?? { ...own, updated_at: now, version: null };
  const { run_id: _run, version: _version, other: _other, ...card } = whole;
  return {
    ...card,
    file: relative(stateRoot, saved.file).split(sep).join("/"),
    notes: [...new Set([...ports.troubles, ...saved.notes, ...notes, ...cardWarnings(card, projectRoot)])],
  };
}

/** A card may be read on another machine, so a file of the project is named from its root. */
function relativeEntry(projectRoot: string, entry: string): string {
  const path = entry.replace(/^@+/, "");
  return isAbsolute(path) ? `@${pathInside(projectRoot, path) ?? path}` : entry;
}

function cardWarnings({ phase, required_reading }: Pick<Card, "phase" | "required_reading">, projectRoot: string) {
  const warning = phaseWarning(phase);
  const { entries, notes } = checkReading(projectRoot, required_reading);
  const missing = entries.filter((entry) => entry.missing).map(({ path }) => `${path} does not exist`);
  return [...(warning === null ? [] : [warning]), ...notes, ...missing];
}
