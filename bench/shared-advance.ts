import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/app/compose.ts";
import { operations } from "../src/app/operations.ts";
import { changeRun } from "../src/app/runs/change-run.ts";
import { confirmProject } from "../src/app/shared/confirmed-projects.ts";
import { decide } from "../src/engine/commands/decide.ts";
import type { Standing } from "../src/journal/run-journal.ts";
import type { Deps, Outcome } from "../src/operation/operation.ts";
import { advance, at, tasksOf, template, yaml } from "./long-run.ts";
import { caller } from "./project.ts";

/** A run in a shared store, on a machine that keeps its copy. */
export interface SharedRun {
  /** Reads the run. What it returns advances it, each time once. */
  prepare(way: Way): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

/** The engine with the append and the local copy, or all the way through the app, which also hands out the next visit. */
export type Way = "engine" | "app";

export async function startSharedRun(url: string, tasks: number): Promise<SharedRun> {
  const { deps, close } = openProject(url);
  const { run } = await startRun(deps, tasks);
  return {
    async prepare(way) {
      const standing = await load(deps, run.runId);
      if (way === "app") {
        return async () => given(await changeRun(deps, standing, template, { command: advance, handOut: true }));
      }
      return () => advanceOnce(deps, standing);
    },
    close,
  };
}

/** Runs that one process advances at the same time. */
export interface SharedRuns {
  /** One for each run: advances it by the engine, with the append and the local copy. */
  readonly advances: readonly (() => Promise<unknown>)[];
  close(): Promise<void>;
}

export async function startSharedRuns(url: string, count: number, tasks: number): Promise<SharedRuns> {
  const { deps, close } = openProject(url);
  const advances: (() => Promise<unknown>)[] = [];
  for (let n = 0; n < count; n++) {
    let standing = await startRun(deps, tasks);
    advances.push(async () => {
      standing = await advanceOnce(deps, standing);
    });
  }
  return { advances, close };
}

function openProject(url: string) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  mkdirSync(join(folder, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/config.yaml"), "store: postgres\nproject: advance\n");
  writeFileSync(join(folder, ".holdfast/workflows/long.yaml"), yaml);
  const env = { HOME: join(folder, "home"), HOLDFAST_DATABASE_URL: url };
  const deps = compose(folder, { ...caller, env });
  confirmProject(deps, "advance", at);
  const close = async () => {
    await deps.journal.settle();
    await deps.store.close();
    rmSync(folder, { recursive: true });
  };
  return { deps, close };
}

async function startRun(deps: Deps, tasks: number): Promise<Standing> {
  const { runId } = given(await operations.start.run(deps, { workflow: "long", another: true }));
  given(await operations.tasks.run(deps, { run: runId, loop: "work", tasks: tasksOf(tasks) }));
  return load(deps, runId);
}

async function load(deps: Deps, runId: string): Promise<Standing> {
  const standing = await deps.journal.load(runId);
  if (standing === null) throw new Error(`${runId} is not there`);
  return standing;
}

async function advanceOnce(deps: Deps, standing: Standing): Promise<Standing> {
  const decision = decide(template, standing.run, advance, deps.now());
  if (!decision.ok) throw new Error(decision.refusal.code);
  return deps.journal.append(standing.run.runId, standing, decision.events, decision.run);
}

function given<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.refusal.code);
  return outcome.value;
}
