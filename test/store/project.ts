import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../../src/app/compose.ts";
import { operations } from "../../src/app/operations.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Caller, Deps } from "../../src/operation/operation.ts";

export const run = "sample-20260101_000000-ab12";

export function noted(seq: number, summary: string): RunEvent {
  return { seq, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary };
}

/** A folder outside the work tree, and its end. */
export function makeFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-store-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function callerOf(session?: string): Caller {
  const nowhere = { isTerminal: false, surroundings: () => ({ terminal: null, ancestors: [] }) };
  const nobody = { as: undefined, confirm: undefined, progress: undefined, signal: undefined };
  return { env: { HOME: process.env.HOME }, session, face: "cli" as const, ...nowhere, ...nobody };
}

const workflow = (rounds: number) => `
name: polish
description: the same again and again
loops:
  parts: [{ id: make, instructions: "Make {task.title}" }]
steps:
  - { id: polish, type: ralph, n: ${rounds}, instructions: Improve it }
  - { id: parts, type: loop }
  - { id: ship, type: action, instructions: Ship it }
`;

export interface Project {
  readonly folder: string;
  readonly runId: string;
  /** Where the run's files are. */
  readonly at: (name: string) => string;
  readonly journal: string;
  readonly token: string;
  /** The world as a new process finds it, at a fixed time. */
  open(): Deps;
  /** The same for a copy of the folder. */
  openIn(copy: string): Deps;
}

/** A project with a run of a workflow that can be advanced many times. */
export async function startProject(folder: string, rounds = 1_000): Promise<Project> {
  mkdirSync(join(folder, ".holdfast", "workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast", "workflows", "polish.yaml"), workflow(rounds));
  const openIn = (copy: string) => ({ ...compose(copy, callerOf()), now: () => "2026-01-01T00:00:00.000Z" });
  const open = () => openIn(folder);
  const started = await operations.start.run(open(), { workflow: "polish" });
  if (!started.ok || started.value.token === null) throw new Error("the run did not start");
  const { runId, token } = started.value;
  const at = (name: string) => join(folder, ".holdfast", "runs", runId, name);
  return { folder, runId, at, journal: at("journal.jsonl"), token, open, openIn };
}

/** Advances the run so many times, as one process that leaves its snapshot behind. */
export async function advance(deps: Deps, runId: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n++) {
    const advanced = await operations.advance.run(deps, { run: runId, output: "better" });
    if (!advanced.ok) throw new Error(advanced.refusal.code);
  }
  await deps.journal.settle();
}

/** A named pipe: whoever opens it waits until someone opens its other end. */
export function makePipe(path: string): void {
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', path]);
}

export function linesOf(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

export function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
}
