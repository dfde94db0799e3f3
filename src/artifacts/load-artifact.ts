import type { Artifact } from "../model/artifact.ts";
import { memberAt, parseMemberPath } from "../model/condition/member-path.ts";
import { runStatePath } from "../model/path-text.ts";
import { loadDirectory } from "./directory.ts";
import { loadFile } from "./file.ts";
import { gitInfo } from "./git-info.ts";
import { jsonText } from "./json-text.ts";
import { type Absence, type Content, contentOf, type LoadedArtifact, outcomeOf, refused } from "./loaded.ts";
import type { PlannedArtifact } from "./plan-loading.ts";
import { present } from "./present.ts";
import { runCommand, runProvider } from "./run-command.ts";
import type { ArtifactWorld } from "./world.ts";

/** Carries out a plan, one after the other, so that never more than one large file is held. */
export async function loadArtifacts(
  plan: readonly PlannedArtifact[],
  world: ArtifactWorld,
): Promise<readonly LoadedArtifact[]> {
  const loaded: LoadedArtifact[] = [];
  for (const planned of plan) loaded.push(await carryOut(planned, world));
  return loaded;
}

/** Loads one artifact now. What has the hash that is `known` already is not loaded again. */
export async function loadArtifact(
  artifact: Artifact,
  world: ArtifactWorld,
  known: string | null = null,
): Promise<LoadedArtifact> {
  const found = await find(artifact, world);
  return outcomeOf(artifact, found.status === "found" ? present(artifact, found, known) : found);
}

async function carryOut(planned: PlannedArtifact, world: ArtifactWorld): Promise<LoadedArtifact> {
  switch (planned.status) {
    case "load":
      return await loadArtifact(planned.artifact, world, planned.known);
    case "skip":
      return outcomeOf(planned.artifact, { status: "skipped", reason: planned.reason });
    case "refuse":
      return outcomeOf(planned.artifact, refused(planned.problem));
  }
}

async function find(artifact: Artifact, world: ArtifactWorld): Promise<Content | Absence> {
  if (artifact.type === "git_info") return await gitInfo(world.projectRoot);
  if (artifact.command !== undefined) return asType(artifact, await runCommand(artifact, artifact.command, world));
  const path = writtenPath(artifact, world);
  if (path === null) return await runProvider(artifact, world);
  if (typeof path !== "string") return path;
  if (path === runStatePath) return runState(artifact, world);
  if (artifact.type === "directory") return await loadDirectory(artifact, path, world);
  return asType(artifact, loadFile(artifact, path, world));
}

/** JSON is parsed wherever it comes from; for a pointer nobody reads it. */
function asType({ type, load, select }: Artifact, found: Content | Absence): Content | Absence {
  if (found.status !== "found" || type !== "json" || load === "pointer") return found;
  const json = jsonText(found.text, select);
  if (json.ok) return { ...found, text: json.text };
  return {
    status: json.status,
    path: found.path,
    problem: `${found.path ?? "what the command printed"} ${json.problem}`,
  };
}

/** The path as the template or the state has it; null where there is none. */
export function writtenPath(
  { path, path_from_state }: Artifact,
  { state }: Pick<ArtifactWorld, "state">,
): string | Absence | null {
  if (path_from_state === undefined) return path ?? null;
  const parsed = parseMemberPath(path_from_state);
  if (!parsed.ok) return refused(`path_from_state ${path_from_state}: ${parsed.problem}`);
  const value = memberAt(state, parsed.path);
  if (value === null || value === "") {
    return { status: "unavailable", problem: `${path_from_state} is not set in the run's state yet` };
  }
  if (typeof value === "string") return value;
  const what = typeof value === "object" ? "more than one value" : `a ${typeof value}`;
  return refused(`${path_from_state} holds ${what} in the run's state, not a path`);
}

function runState(artifact: Artifact, { state }: ArtifactWorld): Content | Absence {
  const text = jsonText(JSON.stringify(state ?? null), artifact.select);
  if (text.ok) return contentOf(text.text);
  return { status: text.status, path: null, problem: `the run's state ${text.problem}` };
}
