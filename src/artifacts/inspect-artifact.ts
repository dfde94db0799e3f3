import { lstatSync } from "node:fs";
import type { Artifact } from "../model/artifact.ts";
import { runStatePath } from "../model/path-text.ts";
import { writtenPath } from "./load-artifact.ts";
import type { Absence } from "./loaded.ts";
import { locate } from "./locate.ts";
import { whyNotRun } from "./run-command.ts";
import type { ArtifactWorld } from "./world.ts";

/** What would be loaded, without reading or running anything. */
export type Inspected =
  | Absence
  | { readonly status: "there"; readonly path: string /** Null for a folder. */; readonly bytes: number | null }
  | { readonly status: "made"; readonly from: "state" | "git" | "command" | "provider" };

export function inspectArtifact(artifact: Artifact, world: ArtifactWorld): Inspected {
  if (artifact.type === "git_info") return { status: "made", from: "git" };
  if (artifact.command !== undefined) return whyNotRun(artifact, world) ?? { status: "made", from: "command" };
  const path = writtenPath(artifact, world);
  if (path === null) return whyNotRun(artifact, world) ?? { status: "made", from: "provider" };
  if (typeof path !== "string") return path;
  if (path === runStatePath) return { status: "made", from: "state" };
  const place = locate(path, world);
  if (place.status !== "there") return place;
  const entry = lstatSync(place.real, { throwIfNoEntry: false });
  return { status: "there", path: place.shown, bytes: entry?.isFile() ? entry.size : null };
}
