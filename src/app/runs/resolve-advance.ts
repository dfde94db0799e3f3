import { findTargetVisit } from "../../engine/commands/find-target-visit.ts";
import { findStep, resolveChecks, stepSettings } from "../../engine/step-settings.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { Gate } from "../../model/gate.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import type { Frozen } from "../workflows/parse-frozen.ts";

/** Everything an advance is decided on. It is looked up once, here, and handed down to gates, change and reply. */
export interface ResolvedAdvance {
  readonly standing: Standing;
  readonly frozen: Frozen;
  /** The visit to end; null when the engine will refuse the command anyway. */
  readonly visit: Visit | null;
  readonly checks: Checks;
}

export interface Checks {
  /** Must pass before the visit may end. */
  readonly gates: readonly Gate[];
  /** End the iterations of a ralph step when they pass. */
  readonly until: readonly Gate[];
}

export async function resolveAdvance(
  deps: Deps,
  standing: Standing,
  command: AdvanceCommand,
): Promise<ResolvedAdvance> {
  const { run } = standing;
  const frozen = await readFrozen(deps, run);
  const target = isLive(run) ? findTargetVisit(run, command) : null;
  const visit = target?.ok ? target.visit : null;
  // Reporting a failure needs no gates.
  const checks = visit === null || command.failed === true ? noChecks : checksOf(frozen.template, run, visit);
  return { standing, frozen, visit, checks };
}

const noChecks: Checks = { gates: [], until: [] };

function checksOf(template: Template, { variables }: StartedRun, { place }: Visit): Checks {
  const step = findStep(template, place.step);
  const until = (step?.type === "ralph" && step.until) || [];
  const gates = stepSettings(template, place)?.gates ?? [];
  return { gates: resolveChecks(template, variables, gates), until: resolveChecks(template, variables, until) };
}
