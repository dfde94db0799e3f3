import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { editsOf, type OwnCard } from "../../cards/card.ts";
import { createCardFolder } from "../../cards/card-folder.ts";
import { openCards } from "../../cards/card-reader.ts";
import type { Notice } from "../../engine/commands/notices.ts";
import { isHoldfastError } from "../../errors.ts";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { CardEdits } from "../../model/carry.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { Roots } from "../../platform/roots.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import type { Settings } from "../../project/settings.ts";
import { logTrouble } from "../../project/trouble-log.ts";
import { portableValue } from "../privacy/portable-text.ts";
import { hasSameCard, ownCard, ownCardWithEdits } from "./own-card.ts";

interface Keeping {
  readonly roots: Roots;
  readonly settings: Settings;
  readonly troubles: string[];
  now(): string;
}

/** Updates the run's state card; a missing card is written again from the journal. */
export function saveCard(keeping: Keeping, template: Template, run: StartedRun, before = ownCard(template, run)): void {
  const { roots, settings, troubles, now } = keeping;
  if (!settings.cards.on) return;
  const cards = createCardFolder(roots.stateRoot, settings.cards);
  if (isLive(run)) {
    troubles.push(...cards.save(ownCardWithEdits(template, run), now(), before).notes);
  } else cards.remove({ runId: run.runId });
}

/** Copies what an agent or a person wrote into the card into the journal, so that it travels with the run. */
export function collectCardEdits(keeping: Keeping, template: Template, run: StartedRun): Notice[] {
  const { roots, troubles } = keeping;
  const found = openCards(keeping)?.find(run.runId);
  const edits = found == null ? null : editsOf(ownCard(template, run), found.card);
  if (edits === null) return [];
  // It was parsed from a JSON file, so it is JSON.
  const portable = portableEdits(roots, run, edits as CardEdits);
  if (JSON.stringify(portable).length <= longestEdits) return [{ type: "edit-card", edits: portable }];
  troubles.push("the state card has more in it than a journal can take; only the card keeps it");
  return [];
}

const longestEdits = 64 * 1024;

/** Required reading becomes relative to the project; other texts keep a placeholder for it. */
function portableEdits(roots: Roots, run: StartedRun, edits: CardEdits): CardEdits {
  const root = runProjectRoot(roots, run);
  const reading = edits.required_reading.map((path) => (path.startsWith(root + sep) ? relative(root, path) : path));
  const machine = { roots, home: homedir(), env: process.env };
  return portableValue(machine, root, { ...edits, required_reading: reading });
}

interface Changing {
  readonly roots: Roots;
  now(): string;
}

/**
 * Updates the card after a change of the run, if the card would say something else. A failure does not affect the run.
 * `earlier` is the run's previous template, when the change replaced it.
 */
export async function syncCard(
  { roots, now }: Changing,
  template: Template,
  before: StartedRun | null,
  after: StartedRun,
  earlier = template,
): Promise<void> {
  if (before === after || (before !== null && hasSameCard(before, after))) return;
  const last = ownCard(earlier, before ?? after);
  if (before !== null && isLive(before) === isLive(after) && isSame(last, ownCard(template, after))) return;
  const troubles: string[] = [];
  try {
    const { settings } = await findSettings(roots.stateRoot);
    saveCard({ roots, settings, troubles, now }, template, after, last);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    troubles.push(error.message);
  }
  for (const trouble of troubles) logTrouble(roots.stateRoot, trouble);
}

function isSame(one: OwnCard, other: OwnCard): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
