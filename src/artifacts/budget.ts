import { artifactBlock } from "./artifact-block.ts";
import { createExcerpt, leastExcerpt, longestExcerpt } from "./excerpt.ts";
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

/**
 * The same artifacts in the same order. What does not fit into `limit` characters becomes an excerpt, or a pointer where
 * there is no room for that either.
 */
export function fitArtifacts(loaded: readonly LoadedArtifact[], limit: number): readonly LoadedArtifact[] {
  const sized = loaded.map((artifact) => {
    const pointer = asPointer(artifact);
    // Making a text ready takes long, and one that is longer than the limit cannot fit.
    const isHopeless = artifact.status === "loaded" && artifact.text.length > limit;
    const size = isHopeless ? Number.POSITIVE_INFINITY : sizeOf(artifact);
    return { artifact, pointer, size, least: sizeOf(pointer) };
  });
  // Reserve room for every pointer first, so that one large artifact does not crowd out the others.
  let room = limit - sized.reduce((sum, { least }) => sum + least, 0);
  const shown = new Map<LoadedArtifact, LoadedArtifact>();
  const show = ({ artifact, least }: Sized, as: LoadedArtifact) => {
    room -= sizeOf(as) - least;
    shown.set(artifact, as);
  };
  const cut: Sized[] = [];
  for (const one of byPriority(sized)) {
    const kept = one.artifact.required ? 0 : cut.filter(({ artifact }) => artifact.required).length * leastRoom;
    if (one.size - one.least <= room - kept) show(one, one.artifact);
    else cut.push(one);
  }
  cut.forEach((one, index) => {
    const part = asExcerpt(one, shareOf(room, cut.slice(index)));
    if (part !== null) show(one, part);
  });
  return sized.map(({ artifact, pointer }) => shown.get(artifact) ?? pointer);
}

interface Sized {
  readonly artifact: LoadedArtifact;
  readonly size: number;
  readonly least: number;
}

/** The room for the smallest excerpt, with what is said about it. */
const leastRoom = leastExcerpt + 200;

/** The first one's share of the room. A required artifact gets twice that of another, and at least a small excerpt. */
function shareOf(room: number, waiting: readonly Sized[]): number {
  const weight = ({ artifact }: Sized) => (artifact.required ? 2 : 1);
  const [first] = waiting;
  if (first === undefined) return 0;
  const share = Math.floor((room * weight(first)) / waiting.reduce((sum, one) => sum + weight(one), 0));
  return first.artifact.required ? Math.min(room, Math.max(share, leastRoom)) : share;
}

/** Null if there is no text, or too little room. */
function asExcerpt({ artifact, least }: Sized, room: number): LoadedArtifact | null {
  if (artifact.status !== "loaded") return null;
  const { type, bytes, text } = artifact;
  if (room < leastExcerpt) return null;
  const excerpt = createExcerpt(type, text);
  const cutTo = (most: number): LoadedArtifact => {
    const short = excerpt(most);
    const leftOutBytes = Math.max(0, bytes - Buffer.byteLength(short));
    return { ...artifact, text: short, shortened: { type: "excerpt", leftOutBytes } };
  };
  // The frame around the text takes room, and so do fences and marks within it.
  for (let most = Math.min(longestExcerpt, room); most >= leastExcerpt; most -= 50) {
    const part = cutTo(most);
    if (sizeOf(part) - least <= room) return part;
  }
  return null;
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
