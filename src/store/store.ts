import type { RunEvent } from "../model/event.ts";

export interface Commit {
  readonly version: number;
  /** Unique: two commits with the same version never share it. */
  readonly id: string;
  /** Where the driver keeps the commit. Only a hint to find it quickly; the driver verifies it. */
  readonly place: number;
  readonly events: readonly RunEvent[];
}

/**
 * The port for storing commits. A store keeps their order and prevents lost updates; it knows nothing about workflows,
 * so no driver can contain a workflow rule.
 */
export interface Store {
  /**
   * Durably appends a commit as version `expected + 1`. Throws `version-conflict` if that version is taken, or if
   * version `expected` is not the commit that the events were decided on.
   */
  append(run: string, expected: number, events: readonly RunEvent[], on?: Foundation): Promise<Commit>;
  /** The commits from version `from` on, in order; none for an unknown run. */
  read(run: string, from?: ReadFrom): AsyncIterable<Commit>;
  /**
   * Whether this commit is still the last one, told without reading. True must be certain; a driver that cannot tell
   * cheaply returns false, except for a commit that it has just appended or read up to.
   */
  isStillAt(run: string, last: Head): Promise<boolean>;
  /** Every run with at least one commit, and every unreadable one, ordered by id. */
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
