import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/app/compose.ts";
import { operations } from "../src/app/operations.ts";
import { changeRun } from "../src/app/runs/change-run.ts";
import { confirmProject } from "../src/app/shared/confirmed-projects.ts";
import { decide } from "../src/engine/commands/decide.ts";
import type { Outcome } from "../src/operation/operation.ts";
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
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  mkdirSync(join(folder, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/config.yaml"), "store: postgres\nproject: advance\n");
  writeFileSync(join(folder, ".holdfast/workflows/long.yaml"), yaml);
  const env = { HOME: join(folder, "home"), HOLDFAST_DATABASE_URL: url };
  const deps = compose(folder, { ...caller, env });
  confirmProject(deps, "advance", at);
  const { runId } = given(await operations.start.run(deps, { workflow: "long" }));
  given(await operations.tasks.run(deps, { run: runId, loop: "work", tasks: tasksOf(tasks) }));
  return {
    async prepare(way) {
      const standing = await deps.journal.load(runId);
      if (standing === null) throw new Error(`${runId} is not there`);
      if (way === "app") {
        return async () => given(await changeRun(deps, standing, template, { command: advance, handOut: true }));
      }
      return async () => {
        const decision = decide(template, standing.run, advance, deps.now());
        if (!decision.ok) throw new Error(decision.refusal.code);
        await deps.journal.append(runId, standing, decision.events, decision.run);
      };
    },
    async close() {
      await deps.journal.settle();
      await deps.store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function given<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.refusal.code);
  return outcome.value;
}
