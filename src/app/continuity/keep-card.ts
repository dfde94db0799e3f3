import { createCardFolder } from "../../cards/card-folder.ts";
import { isHoldfastError } from "../../errors.ts";
import { isLive } from "../../model/live.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Roots } from "../../platform/roots.ts";
import { findSettings } from "./compiled-settings.ts";
import { ownCard, ownCardWithEdits } from "./own-card.ts";
import type { Scene } from "./scene.ts";
import { logTrouble } from "./trouble-log.ts";

type Cards = Pick<Scene, "cards" | "troubles" | "now">;

/** Brings the run's card up to date; one that was lost is written anew from the journal. */
export function saveCard({ cards, troubles, now }: Cards, template: Template, run: StartedRun, before = run): void {
  if (cards === null) return;
  if (!isLive(run)) {
    cards.remove({ runId: run.runId });
    return;
  }
  troubles.push(...cards.save(ownCardWithEdits(template, run), now(), ownCard(template, before)).notes);
}

interface Changing {
  readonly roots: Roots;
  now(): string;
}

/** After a change of the run: its card follows where it says something else than before. The run does not depend on it. */
export async function followCard(
  { roots, now }: Changing,
  template: Template,
  before: StartedRun | null,
  after: StartedRun,
): Promise<void> {
  if (before !== null && !changesCard(template, before, after)) return;
  const { settings } = await findSettings(roots.stateRoot);
  if (!settings.cards.on) return;
  const troubles: string[] = [];
  try {
    const cards = createCardFolder(roots.stateRoot, settings.cards);
    saveCard({ cards, troubles, now }, template, after, before ?? after);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    troubles.push(error.message);
  }
  for (const trouble of troubles) logTrouble(roots.stateRoot, trouble);
}

function changesCard(template: Template, before: StartedRun, after: StartedRun): boolean {
  if (isLive(before) !== isLive(after)) return true;
  return JSON.stringify(ownCard(template, before)) !== JSON.stringify(ownCard(template, after));
}
