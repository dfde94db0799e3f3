import type { RunEvent } from "../model/event.ts";

export interface Commit {
  readonly version: number;
  /** Unique: two commits with the same version never share it. */
  readonly id: string;
  /** Where the driver keeps the commit. Only a hint to find it quickly; the driver verifies it. */
  readonly place: number;
  readonly events: readonly RunEvent[];
}

/** A commit with the exact bytes of its line, without the newline. */
export interface CopiedCommit extends Commit {
  readonly line: Uint8Array;
}

/**
 * The port for storing commits. A store keeps their order and prevents lost updates; it knows nothing about workflows,
 * so no driver can contain a workflow rule.
 */
export interface Store {
  /**
   * Durably appends a commit as version `expected + 1`. Throws `version-conflict` if that version is taken, or if
   * version `expected` is not the commit that the events were decided on. Only shared stores keep what is attached.
   */
  append(
    run: string,
    expected: number,
    events: readonly RunEvent[],
    on?: Foundation,
    attached?: Attached,
  ): Promise<Commit>;
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

export async function readAll<C extends Commit>(commits: AsyncIterable<C>): Promise<C[]> {
  const all: C[] = [];
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
  /** Who made the last change; empty if nobody knows. */
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

/** When a run was removed, and its last commit. */
export interface Removal extends Head {
  readonly at: string;
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

/** A sign of life of whoever holds a claim, on any machine. */
export interface SharedLease {
  readonly at: string;
  /** The process that works on the task for as long as it lives; null if no process stays. */
  readonly runner: string | null;
  /** The machine that the process is on. */
  readonly machine: string;
}

/** The leases of claims, beside the journals. */
export interface SharedLeases {
  /** All leases of a run, by the number of the claim. */
  read(run: string): Promise<ReadonlyMap<number, SharedLease>>;
  /** Does nothing for a run that is not there. */
  renew(run: string, claim: number, lease: SharedLease): Promise<void>;
  /** Removes those of the first `known` claims that are not held any more. */
  endAllBut(run: string, held: ReadonlySet<number>, known: number): Promise<void>;
}

/** A store that many machines share. It keeps more than commits, and knows no more of workflows. */
export interface SharedStore extends Store {
  /** Which of the projects in the store the runs belong to. */
  readonly project: string;
  /** Where the runs are, as messages may name it. */
  readonly where: string;
  readonly leases: SharedLeases;
  /** As `append`, and answers with the line that was stored. */
  appendLine(
    run: string,
    expected: number,
    events: readonly RunEvent[],
    on?: Foundation,
    attached?: Attached,
  ): Promise<CopiedCommit>;
  /** The commits from a version on, with their lines. */
  readLines(run: string, from?: number): AsyncIterable<CopiedCommit>;
  /** The commits behind another one, with their lines. Throws `version-conflict` if that is not a commit of the run. */
  readLinesAfter(run: string, on: Head): AsyncIterable<CopiedCommit>;
  /** The last commits of those runs that are there, in one query. */
  heads(runs: readonly string[]): Promise<ReadonlyMap<string, Head>>;
  /**
   * Stores whole lines behind the commit `on`, all of them or none; null if the run must not be there yet. Throws
   * `version-conflict` if the run is elsewhere, and `journal-corrupt` for lines that do not belong there.
   */
  importLines(run: string, on: Head | null, commits: readonly CopiedCommit[], attached?: Attached): Promise<void>;
  /**
   * Puts these lines in the place of all lines of a run. Throws `version-conflict` if it is not at the commit `expected`; null
   * if it must not be there.
   */
  replaceRun(run: string, expected: Head | null, commits: readonly CopiedCommit[], attached?: Attached): Promise<void>;
  /** Removes a run with its lines and leases; false if it is not at the commit `expected`. */
  removeRun(run: string, expected: Head): Promise<boolean>;
  /** Those of these runs that were removed, and did not come back. */
  removals(runs: readonly string[]): Promise<ReadonlyMap<string, Removal>>;
  /** The newest runs first, by `at` of their projection. */
  listRuns(filter: RunFilter): Promise<readonly ListedRun[]>;
  /** The runs whose ids begin with this text, the last ones in the order of ids first. */
  findRuns(beginning: string, limit: number): Promise<readonly ListedRun[]>;
  /** How many runs there are, up to `most`: counting all of many would take long. */
  countRuns(filter: Pick<RunFilter, "status"> & { readonly most: number }): Promise<number>;
  /**
   * Runs whose projection is out of date or missing, such as those of a program that stores none, in the order of their
   * ids, behind the run `after`.
   */
  listOutdated(limit: number, after?: string): Promise<readonly (Head & { readonly run: string })[]>;
  /** Stores the projection of a run as of a commit; false if that is no longer the last one. */
  saveProjection(run: string, as: Head, projection: RunProjection): Promise<boolean>;
  readTemplate(hash: string): Promise<string | null>;
  /**
   * Calls back with the newest commit of each run that changes from now on, at least once for the last change, until
   * stopped. It may skip commits in between. What `changed` throws is an uncaught exception of the process.
   */
  follow(changed: (run: string, last: Head) => void): Promise<Following>;
}
