import { type Inspected, inspectArtifact } from "../../artifacts/inspect-artifact.ts";
import { loadArtifact } from "../../artifacts/load-artifact.ts";
import type { PlannedArtifact } from "../../artifacts/plan-loading.ts";
import type { ArtifactWorld } from "../../artifacts/world.ts";
import { type ArtifactRow, rowOf, skipped } from "./artifact-row.ts";
import { type Loading, planTriggered } from "./load-artifacts.ts";

/** What would be loaded and what not. Nothing is run; a file is read only where its hash decides. */
export async function planRows(loading: Loading): Promise<readonly ArtifactRow[]> {
  const { plan, world } = planTriggered(loading);
  return Promise.all(plan.map((planned) => rowFor(planned, world)));
}

async function rowFor(planned: PlannedArtifact, world: ArtifactWorld): Promise<ArtifactRow> {
  const { artifact } = planned;
  const { id, condition } = artifact;
  if (planned.status === "refuse") return { id, status: "refused", path: null, bytes: null, note: planned.problem };
  const found = inspectArtifact(artifact, world);
  const there = { path: "path" in found ? found.path : null, bytes: "bytes" in found ? found.bytes : null };
  if (planned.status === "skip") return { id, status: "skipped", ...there, note: skipped[planned.reason] };
  if (planned.known !== null && found.status === "there") {
    const again = await loadArtifact(artifact, world, planned.known);
    if (again.status === "skipped") return { ...rowOf(again), ...there };
  }
  const holds = condition === undefined ? "" : "; its condition holds";
  return { id, status: statusOf(found), ...there, note: `${wordOf(found, planned.trigger)}${holds}` };
}

function statusOf(found: Inspected): string {
  return found.status === "there" || found.status === "made" ? "would load" : found.status;
}

function wordOf(found: Inspected, trigger: string): string {
  switch (found.status) {
    case "there":
      return `set off by ${trigger}`;
    case "made":
      return `set off by ${trigger}, made from the ${found.from}`;
    case "asked":
      return `the agent is asked to run ${found.command}`;
    case "missing":
    case "unavailable":
    case "refused":
      return found.problem;
  }
}
