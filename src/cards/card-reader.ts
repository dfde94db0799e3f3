import { unreadable } from "../platform/files.ts";
import type { Card } from "./card.ts";
import { type CardRoot, resolveCardRoot } from "./card-root.ts";
import { type FoundCard, newestFirst, type Scan, scanCards } from "./card-scan.ts";

export interface CardFile {
  /** The absolute path. */
  readonly file: string;
  readonly card: Card;
}

/** Read-only access to the cards. */
export interface CardReader {
  /** Every readable card that git does not track, newest first, and notes on what was skipped. */
  list(now: string): { readonly cards: readonly CardFile[]; readonly notes: readonly string[] };
  find(runId: string): CardFile | null;
}

export interface CardSettings {
  readonly folder?: string;
}

export type WhichCard = { readonly runId: string } | { readonly workflow: string };

const endOfTime = "9999-12-31T23:59:59.999Z";

export function createCardReader(stateRoot: string, settings: CardSettings = {}): CardReader {
  const root = cardRootOf(stateRoot, settings);
  return {
    list: (now) =>
      reading(root, () => {
        const { cards, notes } = scanCards(root);
        return { cards: newestFirst(cards, now).map(({ file, card }) => ({ file, card })), notes };
      }),
    find: (runId) =>
      reading(root, () => {
        const [found] = newestFirst(matching(scanCards(root), { runId }), endOfTime);
        return found === undefined ? null : { file: found.file, card: found.card };
      }),
  };
}

export function cardRootOf(stateRoot: string, { folder }: CardSettings): CardRoot {
  return resolveCardRoot(stateRoot, folder ?? "untracked/workflow-state");
}

export function matching(scan: Scan, which: WhichCard): readonly FoundCard[] {
  return scan.cards.filter(({ card }) =>
    "runId" in which ? card.run_id === which.runId : card.run_id === null && card.workflow === which.workflow.trim(),
  );
}

function reading<T>(root: CardRoot, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unreadable(root.folder, cause);
  }
}
