import type { RunEvent } from "../model/event.ts";

export interface Commit {
  readonly version: number;
  /** Names this commit and no other: two commits of one version never share it. */
  readonly id: string;
  /** Where the driver keeps it. Only a hint, handed back to find the commit quickly; it is never believed unseen. */
  readonly place: number;
  readonly events: readonly RunEvent[];
}

/**
 * Where commits live. A store keeps order and refuses lost updates; it knows nothing of
 * workflows, so no driver can hold a workflow rule.
 */
export interface Store {
  /**
   * Appends as version `expected + 1`, durably. Throws `version-conflict` when that version is taken, or when
   * version `expected` is another commit than the one that the events were decided on.
   */
  append(run: string, expected: number, events: readonly RunEvent[], on?: Foundation): Promise<Commit>;
  /** Commits from `from` on, in version order; none for a run that was never written. */
  read(run: string, from?: ReadFrom): AsyncIterable<Commit>;
  /**
   * Whether a read would show this commit as the last one, told without reading. Yes only where that is so; a
   * driver that cannot tell at once says no, but not of a commit that it has just appended or read to the end.
   */
  isStillAt(run: string, last: Head): Promise<boolean>;
  /** Every run with at least one commit, and every one that cannot be read, ordered by id. */
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export type Head = Pick<Commit, "version" | "id">;
export type Foundation = Pick<Commit, "id" | "place">;

export interface ReadFrom {
  readonly version: number;
  readonly place?: number | undefined;
}

export async function readAll(commits: AsyncIterable<Commit>): Promise<Commit[]> {
  const all: Commit[] = [];
  for await (const commit of commits) all.push(commit);
  return all;
}
