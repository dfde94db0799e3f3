import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../src/engine/commands/decide.ts";
import { evolve } from "../src/engine/evolve/evolve.ts";
import { createCheckedJournal } from "../src/journal/checked-journal.ts";
import { emptyProjection } from "../src/journal/projection.ts";
import type { Command } from "../src/model/command.ts";
import type { RunEvent } from "../src/model/event.ts";
import type { Run } from "../src/model/run.ts";
import { createRunFiles } from "../src/store/run-files.ts";
import { templateFile } from "../src/templates/hash.ts";
import { advance, tasksOf, template, templateHash } from "./long-run.ts";
import { openUnflushed } from "./project.ts";

/** A project in a temporary folder with this many short runs, the newest of which is live. Nothing is flushed. */
export async function makeCrowd({ ended, live }: { readonly ended: number; readonly live: number }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-scale-"));
  const root = join(folder, ".holdfast", "runs");
  mkdirSync(root, { recursive: true });
  const store = openUnflushed(root);
  const files = createRunFiles(root);
  const journal = createCheckedJournal(store, files);
  const frozen = JSON.stringify({ format: 1, source: "none", from: "long", template });
  const count = ended + live;
  for (let n = 0; n < count; n++) {
    const runId = `long-20260101_000000-${n.toString(36).padStart(4, "0")}`;
    // An hour between two runs, as a busy team has them.
    const at = new Date(Date.now() - (count - n) * 3_600_000).toISOString();
    await journal.append(runId, emptyProjection, shortRun(runId, at, n < ended));
    files.write(runId, templateFile(templateHash), frozen, "quick");
  }
  await store.close();
  return folder;
}

export function removeCrowd(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** All events of a run with three tasks, in the middle of them or aborted. */
function shortRun(runId: string, at: string, isEnded: boolean): readonly RunEvent[] {
  let run: Run = { status: "absent" };
  const commands: readonly Command[] = [
    { type: "start", runId, templateHash, worktree: "main", summary: "One of many runs" },
    { type: "set-tasks", loop: "work", tasks: tasksOf(3) },
    ...[advance, advance, advance],
    ...(isEnded ? [{ type: "abort" as const, by: "Ada", reason: "no longer needed" }] : []),
  ];
  return commands.flatMap((command) => {
    const decision = decide(template, run, command, at);
    if (!decision.ok) throw new Error(decision.refusal.code);
    run = decision.events.reduce<Run>(evolve, run);
    return decision.events;
  });
}
