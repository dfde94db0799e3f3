import * as z from "zod";
import { type HoldfastError, isHoldfastError } from "../../errors.ts";
import { type Deps, defineOperation, no, type Outcome, sharedStore, yes } from "../../operation/operation.ts";
import { refuseAgent } from "../workflows/person.ts";
import { moveToFiles, runsToFetch } from "./move-to-files.ts";
import { moveToShared } from "./move-to-shared.ts";
import type { MoveRun } from "./run-copy.ts";

/** What became of one run: moved, there already, or refused. */
export interface MigratedRow {
  readonly runId: string;
  readonly result: "moved" | "same" | "refused";
  readonly problem?: string;
  readonly next?: string;
}

export interface Migrated {
  readonly to: "postgres" | "files";
  readonly project: string;
  readonly where: string;
  readonly runs: readonly MigratedRow[];
  /** How many were not looked at because the command was interrupted. Repeat it to go on. */
  readonly left: number;
  /** Whether they are still in the database. */
  readonly kept: boolean;
}

export const migrateStore = defineOperation({
  summary: "Move the runs of this project between files and the shared store, line by line.",
  input: z
    .strictObject({
      to: z.enum(["postgres", "files"]).describe("Where to."),
      remove: z.boolean().optional().describe("With files: remove the runs from the database."),
      yes: z.boolean().optional().describe("Do not ask first."),
    })
    .refine(({ to, remove }) => to === "files" || remove !== true, {
      path: ["remove"],
      error: "is only for --to files: the journals here stay as copies",
    }),
  async run(deps, { to, remove = false, yes: sure }): Promise<Outcome<Migrated>> {
    const agent = refuseAgent(deps, "moving runs to another store");
    if (agent !== null) return agent;
    deps.refuseLinks();
    const store = await sharedStore(deps);
    if (store === null) return no({ code: "store-local", what: "no shared store is named to move them to or from" });
    const { shared } = store;
    const { project, where } = shared;
    const what = `this removes the runs of ${project} from ${where} for everyone`;
    if (to === "files" && remove && sure !== true && (await deps.caller.confirm?.(`${what}. Continue?`)) !== true) {
      return no({ code: "confirmation-needed", what });
    }
    const names = to === "files" ? await runsToFetch(deps, shared) : deps.index.names();
    const move = to === "files" ? moveToFiles(deps, shared, remove) : moveToShared(deps, shared);
    const runs = await moveEach(deps, names, move);
    await deps.journal.settle();
    return yes({ to, project, where, runs, left: names.length - runs.length, kept: to === "postgres" || !remove });
  },
});

/** One after the other, so that an interruption leaves whole runs. A run that is refused stops no other one. */
async function moveEach({ caller }: Deps, names: readonly string[], move: MoveRun): Promise<MigratedRow[]> {
  const rows: MigratedRow[] = [];
  for (const [index, runId] of names.entries()) {
    if (caller.signal?.aborted === true) break;
    caller.progress?.(`run ${index + 1} of ${names.length}`);
    try {
      const result = await move(runId);
      rows.push({ runId, result: result === "nothing" ? "same" : result });
    } catch (error) {
      if (!isHoldfastError(error) || isFatal(error)) throw error;
      rows.push({ runId, result: "refused", problem: error.message, next: error.next });
    }
  }
  return rows;
}

/** What would fail in the same way for every other run. */
function isFatal(error: HoldfastError): boolean {
  const { code } = error;
  if (isHoldfastError(error, "store-refused")) return error.data.isOfOneRun !== true;
  return code === "store-unreachable" || code === "store-schema" || code === "file-unwritable";
}
