import type { Artifact } from "../model/artifact.ts";
import { sha256Hex } from "../platform/files.ts";

/** The content of a source, before it is shortened for display. */
export interface Content {
  readonly status: "found";
  readonly text: string;
  /** Relative to the project; null if the source is not a file. */
  readonly path: string | null;
  readonly bytes: number;
  /** The hash of the whole source, to detect changes. */
  readonly hash: string;
  /** Remarks on how the source was read. */
  readonly notes: readonly string[];
  readonly leftOutBytes: number;
}

/** Why there is nothing to show: missing, not set yet, not allowed, or for the agent to run. */
export type Absence =
  | { readonly status: "missing"; readonly path: string | null; readonly problem: string }
  | { readonly status: "unavailable"; readonly problem: string }
  | { readonly status: "refused"; readonly path: string | null; readonly problem: string }
  /** A host's own slash command, which only the agent can run. */
  | { readonly status: "asked"; readonly command: string };

export type Outcome =
  | Absence
  | (Omit<Content, "status" | "leftOutBytes"> & { readonly status: "loaded"; readonly shortened: Shortened | null })
  | {
      readonly status: "pointer";
      readonly path: string | null;
      readonly bytes: number;
      readonly hash: string;
      readonly reason: string;
    }
  | { readonly status: "skipped"; readonly reason: "condition" | "trigger" | "unchanged" };

export interface Shortened {
  readonly type: "head_tail" | "summary" | "tail" | "excerpt";
  readonly leftOutBytes: number;
}

export type LoadedArtifact = {
  readonly id: string;
  readonly description: string;
  readonly type: Artifact["type"];
  readonly required: boolean;
} & Outcome;

export function outcomeOf({ id, description, type, required }: Artifact, outcome: Outcome): LoadedArtifact {
  return { id, description: description ?? id, type, required: required ?? false, ...outcome };
}

export function refused(problem: string, path: string | null = null): Absence {
  return { status: "refused", path, problem };
}

/** The content of a source that is not a file. */
export function contentOf(text: string): Content {
  const bytes = Buffer.byteLength(text);
  return { status: "found", text, path: null, bytes, hash: hashOf(text), notes: [], leftOutBytes: 0 };
}

export function hashOf(content: string | Uint8Array): string {
  return `sha256:${sha256Hex(content)}`;
}
