import type { LoadedArtifact } from "../../artifacts/loaded.ts";

/** The result for one artifact, as a table row. */
export interface ArtifactRow {
  readonly id: string;
  readonly status: string;
  readonly path: string | null;
  readonly bytes: number | null;
  /** Why it is not loaded, or remarks about it. */
  readonly note: string | null;
}

export function rowOf(artifact: LoadedArtifact): ArtifactRow {
  const { id, status } = artifact;
  const path = "path" in artifact ? artifact.path : null;
  const bytes = "bytes" in artifact ? artifact.bytes : null;
  return { id, status, path, bytes, note: noteOf(artifact) };
}

function noteOf(artifact: LoadedArtifact): string | null {
  switch (artifact.status) {
    case "loaded":
      return artifact.notes.join("; ") || null;
    case "pointer":
      return artifact.reason;
    case "asked":
      return `run ${artifact.command}`;
    case "skipped":
      return skipReasons[artifact.reason];
    case "missing":
    case "unavailable":
    case "refused":
      return artifact.problem;
  }
}

export const skipReasons = {
  condition: "its condition is false",
  trigger: "none of its triggers fired",
  unchanged: "already in context, unchanged",
} as const;
