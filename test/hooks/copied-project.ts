import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { compose } from "../../src/app/compose.ts";
import { deliverQueued } from "../../src/app/continuity/ports/deliver-notices.ts";
import type { HookEventName } from "../../src/hosts/contract/contract.ts";
import { markCopy, unmarkCopy } from "../../src/store/copy-mark.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { readAll } from "../../src/store/store.ts";
import type { Project } from "../cli/program.ts";
import { callerOf } from "../store/project.ts";
import { session } from "./events.ts";
import { contextOf, type HookEnded, runHook } from "./hook-program.ts";
import { copyOf } from "./run-project.ts";

const runsOf = (project: Project) => join(project.root, ".holdfast/runs");
const runOf = (project: Project) => basename(project.runFolder());
export const queueOf = (project: Project): string => join(project.runFolder(), "notices.jsonl");

/** The same project on a machine that has only a copy of the run. */
export function sharedProject(origin: Project): Project {
  const project = copyOf(origin);
  markCopy(runsOf(project), runOf(project), { project: "team" });
  return project;
}

/** A conversation that is compacted, writes a file, stops and ends; another one takes its place after a clear. */
const story: readonly (readonly [HookEventName, Readonly<Record<string, unknown>>])[] = [
  ["SessionStart", { session_id: session, source: "startup" }],
  ["PreCompact", { session_id: session, trigger: "auto" }],
  ["SessionStart", { session_id: session, source: "compact" }],
  ["PostCompact", { session_id: session, trigger: "auto", compact_summary: "We talked." }],
  ["PostToolUse", { session_id: session, tool_name: "Write", tool_input: { file_path: "notes.md" } }],
  ["Stop", { session_id: session, stop_hook_active: false }],
  ["Stop", { session_id: session, stop_hook_active: true }],
  ["SessionEnd", { session_id: session, reason: "clear" }],
  ["SessionStart", { session_id: "next", source: "clear" }],
  ["Stop", { session_id: "next", stop_hook_active: false }],
];

async function tell(project: Project, env: Readonly<Record<string, string>> = {}): Promise<HookEnded[]> {
  const told: HookEnded[] = [];
  for (const [event, input] of story) told.push(await runHook(project, event, input, { env }));
  return told;
}

/** What a host is told, without what differs from project to project and from call to call. */
function said(project: Project, told: readonly HookEnded[]): unknown[] {
  return told.map(({ code, stdout, stderr }) => ({
    code,
    stderr,
    stdout: stdout.replaceAll(project.root, "").replace(/ (id|at)=\\"[^"]*\\"/g, ""),
  }));
}

export async function eventsOf(project: Project) {
  const commits = await readAll(createFileStore(runsOf(project)).read(runOf(project)));
  const events = commits.flatMap((commit) => commit.events);
  return events.map(({ at: _at, delivers: _delivers, ...event }) =>
    event.type === "session-started" ? { ...event, environment: null } : event,
  );
}

/** The run becomes an ordinary one, so that a delivery needs no server. */
export async function deliver(project: Project): Promise<void> {
  unmarkCopy(runsOf(project), runOf(project));
  const deps = compose(project.root, callerOf());
  const standing = await deps.journal.load(runOf(project));
  if (standing !== null) await deliverQueued(deps, standing);
}

/** A project without a shared store, and what its hooks have said. */
export interface WithFiles {
  readonly project: Project;
  readonly told: readonly HookEnded[];
}

export async function tellFiles(origin: Project): Promise<WithFiles> {
  const project = copyOf(origin);
  return { project, told: await tell(project) };
}

/** Hooks on a copy say the same as those with files, whatever the database is like, and their notices arrive later. */
export async function expectSame(origin: Project, files: WithFiles, url: string): Promise<void> {
  const shared = sharedProject(origin);
  const before = readFileSync(join(shared.runFolder(), "journal.jsonl"));
  const here = await tell(shared, { HOLDFAST_DATABASE_URL: url });
  expect(said(shared, here)).toEqual(said(files.project, files.told));
  expect(here.map(({ answer }) => answer?.decision).filter(Boolean)).toEqual(["block", "block"]);
  expect(contextOf(here[2] as HookEnded)).toContain("You are in the middle of a workflow.");
  expect(readFileSync(join(shared.runFolder(), "journal.jsonl"))).toEqual(before);

  // What was queued is recorded later, once, as if there had been files.
  await deliver(shared);
  await deliver(shared);
  expect(await eventsOf(shared)).toEqual(await eventsOf(files.project));
  expect(existsSync(queueOf(shared))).toBe(false);
}
