import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../src/engine/commands/decide.ts";
import { evolve } from "../src/engine/evolve/evolve.ts";
import { createCheckedJournal } from "../src/journal/checked-journal.ts";
import type { Command } from "../src/model/command.ts";
import type { RunEvent } from "../src/model/event.ts";
import type { Run } from "../src/model/run.ts";
import { createFileStore } from "../src/store/file-store.ts";
import { createRunFiles } from "../src/store/run-files.ts";
import { advance, tasksOf, template, templateHash } from "./long-run.ts";
import { writeRun } from "./project.ts";

interface Crowd {
  readonly ended: number;
  readonly live: number;
  /** By default a new temporary folder. */
  readonly folder?: string;
  readonly summaryOf?: (n: number) => string;
}

/** A project with this many short runs, the newest of which are live. Nothing is flushed. */
export async function makeCrowd({ ended, live, folder = newFolder(), summaryOf }: Crowd): Promise<string> {
  const root = join(folder, ".holdfast", "runs");
  mkdirSync(root, { recursive: true });
  const journal = createCheckedJournal(createFileStore(root), createRunFiles(root));
  const count = ended + live;
  for (let n = 0; n < count; n++) {
    const runId = `long-20260101_000000-${n.toString(36).padStart(4, "0")}`;
    // An hour between two runs, as a busy team has them.
    const at = new Date(Date.now() - (count - n) * 3_600_000).toISOString();
    const summary = summaryOf?.(n) ?? "One of many runs";
    writeRun(root, runId, [shortRun({ runId, at, summary, isEnded: n < ended })]);
    // Whoever writes a run leaves a snapshot, too.
    await journal.load(runId);
  }
  return folder;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "holdfast-bench-scale-"));
}

export function removeCrowd(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

interface ShortRun {
  readonly runId: string;
  readonly at: string;
  readonly summary: string;
  readonly isEnded: boolean;
}

/** All events of a run with three tasks, in the middle of them or aborted. */
function shortRun({ runId, at, summary, isEnded }: ShortRun): readonly RunEvent[] {
  let run: Run = { status: "absent" };
  const commands: readonly Command[] = [
    { type: "start", runId, templateHash, worktree: "main", summary },
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
