import type { Card } from "../../../cards/card.ts";
import type { CardFolder } from "../../../cards/card-folder.ts";
import { slugOf } from "../../../cards/slug.ts";
import { type Deps, no, type Outcome, yes } from "../../../operation/operation.ts";
import type { Scene } from "../ports/scene.ts";
import { sceneOf } from "../ports/server-ports.ts";
import { findTracked } from "./tracked.ts";

/** The tracked workflows of a project, and where their cards are. */
export interface TrackedScene {
  readonly scene: Scene;
  readonly cards: CardFolder;
  /** Every card without a run, the newest first; also those that are over, or follow a text that is gone. */
  readonly all: readonly Card[];
}

export async function openTracked(deps: Deps): Promise<Outcome<TrackedScene>> {
  const scene = await sceneOf(deps);
  const { cards, settings, troubles } = scene;
  if (cards === null) return no({ code: "tracking-off", what: "state cards" });
  if (!settings.tracked.on) return no({ code: "tracking-off", what: "tracked workflows" });
  const listed = cards.list(scene.now());
  troubles.push(...listed.notes);
  return yes({ scene, cards, all: listed.cards.map(({ card }) => card).filter(({ run_id }) => run_id === null) });
}

/** Which tracked workflow is meant: the one named; else the only one that holds; else the only one there is. */
export async function chooseTracked(
  { scene, all }: TrackedScene,
  workflow: string | undefined,
): Promise<Outcome<Card>> {
  const meant = workflow === undefined ? await holding(scene, all) : namedIn(all, workflow);
  const [first, ...others] = meant;
  if (first !== undefined && others.length === 0) return yes(first);
  if (first !== undefined) return no({ code: "tracked-ambiguous", workflows: namesOf(meant) });
  return no({ code: "tracked-unknown", workflow: workflow ?? null, known: namesOf(all) });
}

async function holding(scene: Scene, all: readonly Card[]): Promise<readonly Card[]> {
  const tracked = await findTracked(scene);
  return tracked === null ? onePerName(all) : onePerName([tracked.card, ...tracked.others]);
}

/** By the very name; else by one that differs in case and punctuation only. */
function namedIn(all: readonly Card[], name: string): readonly Card[] {
  const cards = onePerName(all);
  const exact = cards.filter(({ workflow }) => workflow === name.trim());
  return exact.length > 0 ? exact : cards.filter(({ workflow }) => slugOf(workflow) === slugOf(name.trim()));
}

/** Another tool may have left several cards of one workflow; the newest counts. */
function onePerName(cards: readonly Card[]): readonly Card[] {
  return cards.filter((card, index) => cards.findIndex(({ workflow }) => workflow === card.workflow) === index);
}

function namesOf(cards: readonly Card[]): string[] {
  return onePerName(cards).map(({ workflow }) => workflow);
}
