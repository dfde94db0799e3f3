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

/** What a shared store keeps together with a commit: both are stored, or neither. It is opaque to the store. */
export interface Attached {
  /** The row of the run in lists, as of this commit. */
  readonly projection?: RunProjection;
  readonly templates?: readonly StoredTemplate[];
  /** For the store's `sendJobs`. */
  readonly jobs?: readonly unknown[];
}

/** What lists show of a run. The first four are what lists are ordered and chosen by; `data` is anything else as JSON. */
export interface RunProjection {
  readonly status: string;
  readonly step: string;
  readonly who: string;
  /** In a format that sorts as text, such as ISO 8601. */
  readonly at: string;
  readonly data: unknown;
}

/** Is stored once: the first text with a hash stays. */
export interface StoredTemplate {
  readonly hash: string;
  readonly text: string;
}

/** A run as lists show it; the projection is null if none was ever stored. */
export interface ListedRun extends Head {
  readonly run: string;
  readonly projection: RunProjection | null;
  /** The version that the projection describes. An older one than `version` is out of date. */
  readonly projected: number;
}

export interface RunFilter {
  readonly status?: readonly string[];
  /** Continues behind this run of an earlier answer. */
  readonly after?: Pick<RunProjection, "at"> & { readonly run: string };
  readonly limit: number;
}

export interface Following {
  /** Whether the database tells of changes, or is asked for them again and again. */
  readonly by: () => "listen" | "poll";
  stop(): Promise<void>;
}

/** A store that many machines share. It keeps more than commits, and knows no more of workflows. */
export interface SharedStore extends Store {
  append(
    run: string,
    expected: number,
    events: readonly RunEvent[],
    on?: Foundation,
    attached?: Attached,
  ): Promise<Commit>;
  /** The newest runs first, by `at` of their projection. */
  listRuns(filter: RunFilter): Promise<readonly ListedRun[]>;
  /** Runs whose projection is out of date or missing, such as those of a program that stores none. */
  listOutdated(limit: number): Promise<readonly (Head & { readonly run: string })[]>;
  /** Stores the projection of a run as of a commit; false if that is no longer the last one. */
  saveProjection(run: string, as: Head, projection: RunProjection): Promise<boolean>;
  readTemplate(hash: string): Promise<string | null>;
  /**
   * Calls back with the newest commit of each run that changes from now on, at least once for the last change, until
   * stopped. It may skip commits in between.
   */
  follow(changed: (run: string, last: Head) => void): Promise<Following>;
}
