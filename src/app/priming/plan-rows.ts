import type { ArtifactContext } from "../../artifacts/artifact-context.ts";
import { type Inspected, inspectArtifact } from "../../artifacts/inspect-artifact.ts";
import { loadArtifact } from "../../artifacts/load-artifact.ts";
import type { PlannedArtifact } from "../../artifacts/plan-loading.ts";
import { type ArtifactRow, rowOf, skipReasons } from "./artifact-row.ts";
import { type Loading, planTriggered } from "./load-artifacts.ts";

/** What would be loaded and what would not. Runs nothing, and reads a file only if its hash decides. */
export async function planRows(loading: Loading): Promise<readonly ArtifactRow[]> {
  const { plan, world: context } = planTriggered(loading);
  return Promise.all(plan.map((planned) => rowFor(planned, context)));
}

async function rowFor(planned: PlannedArtifact, context: ArtifactContext): Promise<ArtifactRow> {
  const { artifact } = planned;
  const { id, condition } = artifact;
  if (planned.status === "refuse") return { id, status: "refused", path: null, bytes: null, note: planned.problem };
  const found = inspectArtifact(artifact, context);
  const there = { path: "path" in found ? found.path : null, bytes: "bytes" in found ? found.bytes : null };
  if (planned.status === "skip") return { id, status: "skipped", ...there, note: skipReasons[planned.reason] };
  if (planned.known !== null && found.status === "there") {
    const again = await loadArtifact(artifact, context, planned.known);
    if (again.status === "skipped") return { ...rowOf(again), ...there };
  }
  const holds = condition === undefined ? "" : "; its condition is true";
  return { id, status: statusOf(found), ...there, note: `${describeFound(found, planned.trigger)}${holds}` };
}

function statusOf(found: Inspected): string {
  return found.status === "there" || found.status === "made" ? "would load" : found.status;
}

const sourceNames = {
  state: "run's state",
  git: "git repository",
  command: "command",
  provider: "provider",
} as const;

function describeFound(found: Inspected, trigger: string): string {
  switch (found.status) {
    case "there":
      return `triggered by ${trigger}`;
    case "made":
      return `triggered by ${trigger}, from the ${sourceNames[found.from]}`;
    case "asked":
      return `the agent is asked to run ${found.command}`;
    case "missing":
    case "unavailable":
    case "refused":
      return found.problem;
  }
}
