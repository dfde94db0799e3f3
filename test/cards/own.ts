import type { OwnCard } from "../../src/cards/card.ts";

export const start = "2026-11-14T14:30:52.123Z";
export const later = "2026-11-14T16:02:11.004Z";
export const runId = "feature-20261114_143052-k3f9";
export const cardFile = "untracked/workflow-state/feature/state-feature-20261114_143052.json";

/** What the engine says of a run's card. */
export function ownOf(more: Partial<OwnCard> = {}): OwnCard {
  return {
    workflow: "feature",
    workflow_type: "implementation",
    phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
    created_at: start,
    run_id: runId,
    required_reading: ["@docs/architecture.md"],
    key_reminders: ["Run the tests"],
    context: { feature_name: "dark-mode" },
    other: {},
    ...more,
  };
}

/** The same of a workflow that nobody started through us. */
export function trackedOf(more: Partial<OwnCard> = {}): OwnCard {
  return ownOf({ workflow: "Page Orchestration", workflow_type: "custom", run_id: null, ...more });
}
