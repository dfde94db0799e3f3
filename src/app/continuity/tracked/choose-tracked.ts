import type { Card } from "../../../cards/card.ts";
import type { CardFolder } from "../../../cards/card-folder.ts";
import { slugOf } from "../../../cards/slug.ts";
import { type Deps, no, type Outcome, yes } from "../../../operation/operation.ts";
import type { ContinuityPorts } from "../ports/ports.ts";
import { createServerPorts } from "../ports/server-ports.ts";
import { findTracked } from "./tracked.ts";

/** The tracked workflows of a project, and where their cards are. */
export interface TrackedPorts {
  readonly ports: ContinuityPorts;
  readonly cards: CardFolder;
  /** Every card without a run, newest first, including completed ones and those whose source file is gone. */
  readonly all: readonly Card[];
}

export async function openTracked(deps: Deps): Promise<Outcome<TrackedPorts>> {
  const ports = await createServerPorts(deps);
  const { cards, settings, troubles } = ports;
  if (cards === null) return no({ code: "tracking-off", what: "state cards" });
  if (!settings.tracked.on) return no({ code: "tracking-off", what: "tracked workflows" });
  const listed = cards.list(ports.now());
  troubles.push(...listed.notes);
  return yes({ ports, cards, all: listed.cards.map(({ card }) => card).filter(({ run_id }) => run_id === null) });
}

/** Chooses the tracked workflow with this name; without a name the only active one, else the only one. */
export async function chooseTracked(
  { ports, all }: TrackedPorts,
  workflow: string | undefined,
): Promise<Outcome<Card>> {
  const candidates = workflow === undefined ? await activeCards(ports, all) : findByName(all, workflow);
  const [first, ...others] = candidates;
  if (first !== undefined && others.length === 0) return yes(first);
  if (first !== undefined) return no({ code: "tracked-ambiguous", workflows: workflowNames(candidates) });
  return no({ code: "tracked-unknown", workflow: workflow ?? null, known: workflowNames(all) });
}

async function activeCards(ports: ContinuityPorts, all: readonly Card[]): Promise<readonly Card[]> {
  const tracked = await findTracked(ports);
  return tracked === null ? onePerName(all) : onePerName([tracked.card, ...tracked.others]);
}

/** By exact name, else by a name that differs only in case and punctuation. */
function findByName(all: readonly Card[], name: string): readonly Card[] {
  const cards = onePerName(all);
  const exact = cards.filter(({ workflow }) => workflow === name.trim());
  return exact.length > 0 ? exact : cards.filter(({ workflow }) => slugOf(workflow) === slugOf(name.trim()));
}

/** Another tool may have left several cards for one workflow; the newest counts. */
function onePerName(cards: readonly Card[]): readonly Card[] {
  return cards.filter((card, index) => cards.findIndex(({ workflow }) => workflow === card.workflow) === index);
}

function workflowNames(cards: readonly Card[]): string[] {
  return onePerName(cards).map(({ workflow }) => workflow);
}
