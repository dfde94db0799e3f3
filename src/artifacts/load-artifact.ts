import type { Artifact } from "../model/artifact.ts";
import { memberAt, parseMemberPath } from "../model/condition/member-path.ts";
import { runStatePath } from "../model/path-text.ts";
import type { ArtifactContext } from "./artifact-context.ts";
import { loadDirectory } from "./directory.ts";
import { loadFile } from "./file.ts";
import { gitInfo } from "./git-info.ts";
import { jsonText } from "./json-text.ts";
import { type Absence, type Content, contentOf, type LoadedArtifact, outcomeOf, refused } from "./loaded.ts";
import type { PlannedArtifact } from "./plan-loading.ts";
import { present } from "./present.ts";
import { runCommand, runProvider } from "./run-command.ts";

/** Loads the planned artifacts one after the other, so that only one large file is in memory at a time. */
export async function loadArtifacts(
  plan: readonly PlannedArtifact[],
  context: ArtifactContext,
): Promise<readonly LoadedArtifact[]> {
  const loaded: LoadedArtifact[] = [];
  for (const planned of plan) loaded.push(await carryOut(planned, context));
  return loaded;
}

/** Loads one artifact, unless its hash is `known`. */
export async function loadArtifact(
  artifact: Artifact,
  context: ArtifactContext,
  known: string | null = null,
): Promise<LoadedArtifact> {
  const found = await find(artifact, context);
  return outcomeOf(artifact, found.status === "found" ? present(artifact, found, known) : found);
}

async function carryOut(planned: PlannedArtifact, context: ArtifactContext): Promise<LoadedArtifact> {
  switch (planned.status) {
    case "load":
      return await loadArtifact(planned.artifact, context, planned.known);
    case "skip":
      return outcomeOf(planned.artifact, { status: "skipped", reason: planned.reason });
    case "refuse":
      return outcomeOf(planned.artifact, refused(planned.problem));
  }
}

async function find(artifact: Artifact, context: ArtifactContext): Promise<Content | Absence> {
  if (artifact.type === "git_info") return await gitInfo(context.projectRoot);
  if (artifact.command !== undefined) return asType(artifact, await runCommand(artifact, artifact.command, context));
  const path = writtenPath(artifact, context);
  if (path === null) return await runProvider(artifact, context);
  if (typeof path !== "string") return path;
  if (path === runStatePath) return runState(artifact, context);
  if (artifact.type === "directory") return await loadDirectory(artifact, path, context);
  return asType(artifact, loadFile(artifact, path, context));
}

/** Formats JSON, whatever its source. A pointer shows no text, so it needs no parsing. */
function asType({ type, load, select }: Artifact, found: Content | Absence): Content | Absence {
  if (found.status !== "found" || type !== "json" || load === "pointer") return found;
  const json = jsonText(found.text, select);
  if (json.ok) return { ...found, text: json.text };
  return {
    status: json.status,
    path: found.path,
    problem: `${found.path ?? "the command's output"} ${json.problem}`,
  };
}

/** The path as the template or the run's state gives it; null if the artifact has none. */
export function writtenPath(
  { path, path_from_state }: Artifact,
  { state }: Pick<ArtifactContext, "state">,
): string | Absence | null {
  if (path_from_state === undefined) return path ?? null;
  const parsed = parseMemberPath(path_from_state);
  if (!parsed.ok) return refused(`path_from_state ${path_from_state}: ${parsed.problem}`);
  const value = memberAt(state, parsed.path);
  if (value === null || value === "") {
    return { status: "unavailable", problem: `${path_from_state} is not set in the run's state yet` };
  }
  if (typeof value === "string") return value;
  const what = typeof value === "object" ? "an object or a list" : `a ${typeof value}`;
  return refused(`${path_from_state} is ${what} in the run's state, not a path`);
}

function runState(artifact: Artifact, { state }: ArtifactContext): Content | Absence {
  const text = jsonText(JSON.stringify(state ?? null), artifact.select);
  if (text.ok) return contentOf(text.text);
  return { status: text.status, path: null, problem: `the run's state ${text.problem}` };
}
