import { lstatSync } from "node:fs";
import type { Artifact } from "../model/artifact.ts";
import { runStatePath } from "../model/path-text.ts";
import type { ArtifactContext } from "./artifact-context.ts";
import { writtenPath } from "./load-artifact.ts";
import type { Absence } from "./loaded.ts";
import { locate } from "./locate.ts";
import { whyNotRun } from "./run-command.ts";

/** What would be loaded, without reading or running anything. */
export type Inspected =
  | Absence
  | { readonly status: "there"; readonly path: string /** Null for a folder. */; readonly bytes: number | null }
  | { readonly status: "made"; readonly from: "state" | "git" | "command" | "provider" };

export function inspectArtifact(artifact: Artifact, context: ArtifactContext): Inspected {
  if (artifact.type === "git_info") return { status: "made", from: "git" };
  if (artifact.command !== undefined) return whyNotRun(artifact, context) ?? { status: "made", from: "command" };
  const path = writtenPath(artifact, context);
  if (path === null) return whyNotRun(artifact, context) ?? { status: "made", from: "provider" };
  if (typeof path !== "string") return path;
  if (path === runStatePath) return { status: "made", from: "state" };
  const place = locate(path, context);
  if (place.status !== "there") return place;
  const entry = lstatSync(place.real, { throwIfNoEntry: false });
  return { status: "there", path: place.shown, bytes: entry?.isFile() ? entry.size : null };
}
