import { unreadable } from "../platform/files.ts";
import type { Card } from "./card.ts";
import { type CardPlace, cardPlace } from "./card-place.ts";
import { type FoundCard, newestFirst, type Scan, scanCards } from "./card-scan.ts";

export interface CardFile {
  /** The whole path. */
  readonly file: string;
  readonly card: Card;
}

/** Cards to look at. */
export interface CardReader {
  /** Every card that can be believed, the newest first, and notes on what was passed over. */
  list(now: string): { readonly cards: readonly CardFile[]; readonly notes: readonly string[] };
  find(runId: string): CardFile | null;
}

export interface CardSettings {
  readonly folder?: string;
}

export type WhichCard = { readonly runId: string } | { readonly workflow: string };

const endOfTime = "9999-12-31T23:59:59.999Z";

export function createCardReader(stateRoot: string, settings: CardSettings = {}): CardReader {
  const place = placeOf(stateRoot, settings);
  return {
    list: (now) =>
      reading(place, () => {
        const { cards, notes } = scanCards(place);
        return { cards: newestFirst(cards, now).map(({ file, card }) => ({ file, card })), notes };
      }),
    find: (runId) =>
      reading(place, () => {
        const [found] = newestFirst(matching(scanCards(place), { runId }), endOfTime);
        return found === undefined ? null : { file: found.file, card: found.card };
      }),
  };
}

export function placeOf(stateRoot: string, { folder }: CardSettings): CardPlace {
  return cardPlace(stateRoot, folder ?? "untracked/workflow-state");
}

export function matching(scan: Scan, which: WhichCard): readonly FoundCard[] {
  return scan.cards.filter(({ card }) =>
    "runId" in which ? card.run_id === which.runId : card.run_id === null && card.workflow === which.workflow.trim(),
  );
}

function reading<T>(place: CardPlace, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unreadable(place.folder, cause);
  }
}
