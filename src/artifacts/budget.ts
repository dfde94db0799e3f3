import { artifactBlock } from "./artifact-block.ts";
import type { LoadedArtifact } from "./loaded.ts";

export interface RenderedArtifacts {
  readonly text: string;
  /** As the text shows them: some loaded artifacts have become pointers. */
  readonly artifacts: readonly LoadedArtifact[];
  /** The ids of those for which not even a pointer fits. */
  readonly unnamed: readonly string[];
}

const gap = "\n\n";

/** All artifacts in one text of at most `limit` characters. Required ones have priority; the others may become pointers. */
export function renderArtifacts(loaded: readonly LoadedArtifact[], limit: number): RenderedArtifacts {
  const fitted = fitArtifacts(loaded, limit);
  const blocks = fitted
    .map((artifact) => ({ artifact, text: artifactBlock(artifact) }))
    .filter(({ text }) => text !== "");
  const whole = blocks.map(({ text }) => text).join(gap);
  if (whole.length <= limit) return { text: whole, artifacts: fitted, unnamed: [] };
  const kept = new Set<LoadedArtifact>();
  let room = limit - longestRest;
  for (const { artifact, text } of byPriority(blocks)) {
    if (text.length + gap.length > room) break;
    room -= text.length + gap.length;
    kept.add(artifact);
  }
  const shown = blocks.filter(({ artifact }) => kept.has(artifact)).map(({ text }) => text);
  const unnamed = blocks.filter(({ artifact }) => !kept.has(artifact)).map(({ artifact }) => artifact.id);
  const rest = `${unnamed.length} more artifacts do not fit here; load one with holdfast prime --artifacts <id>.`;
  return { text: [...shown, rest].join(gap).slice(0, limit), artifacts: fitted, unnamed };
}

/** The same artifacts in the same order; those that do not fit into `limit` characters become pointers. */
export function fitArtifacts(loaded: readonly LoadedArtifact[], limit: number): readonly LoadedArtifact[] {
  const sized = loaded.map((artifact) => {
    const pointer = asPointer(artifact);
    return { artifact, pointer, size: sizeOf(artifact), least: sizeOf(pointer) };
  });
  // Reserve room for every pointer first, so that one large artifact does not crowd out the others.
  let room = limit - sized.reduce((sum, { least }) => sum + least, 0);
  const kept = new Set<LoadedArtifact>();
  for (const { artifact, size, least } of byPriority(sized)) {
    if (size - least > room) continue;
    room -= size - least;
    kept.add(artifact);
  }
  return sized.map(({ artifact, pointer }) => (kept.has(artifact) ? artifact : pointer));
}

const longestRest = 120;

function byPriority<T extends { readonly artifact: LoadedArtifact }>(items: readonly T[]): T[] {
  return [...items.filter(({ artifact }) => artifact.required), ...items.filter(({ artifact }) => !artifact.required)];
}

function sizeOf(artifact: LoadedArtifact): number {
  const { length } = artifactBlock(artifact);
  return length === 0 ? 0 : length + gap.length;
}

function asPointer(artifact: LoadedArtifact): LoadedArtifact {
  if (artifact.status !== "loaded") return artifact;
  const { id, description, type, required, path, bytes, hash } = artifact;
  return { id, description, type, required, status: "pointer", path, bytes, hash, reason: "it does not fit here" };
}
