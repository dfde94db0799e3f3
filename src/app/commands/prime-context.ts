import * as z from "zod";
import { renderArtifacts } from "../../artifacts/budget.ts";
import { unknownArtifacts } from "../../artifacts/plan-loading.ts";
import { isLive } from "../../model/run-state.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { allowanceOf } from "../priming/allowance.ts";
import { type ArtifactRow, rowOf } from "../priming/artifact-row.ts";
import { loadTriggered, missingRequired, recordsOf } from "../priming/load-artifacts.ts";
import { artifactsOf } from "../priming/plan-artifacts.ts";
import { planRows } from "../priming/plan-rows.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export interface PrimeReply {
  readonly runId: string;
  readonly artifacts: readonly ArtifactRow[];
  /** The text for the model; empty in a dry run. */
  readonly text: string;
  /** A problem in the project's settings, whose artifacts are then left out. */
  readonly problem?: string;
}

/** More than a handoff can hold, and less than would fill a context. */
const longestText = 60_000;

export const primeContext = defineOperation({
  summary: "Load a run's critical artifacts, except those already in context.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    artifacts: z.array(z.string()).optional().describe("Only these, by id."),
    force: z.boolean().optional().describe("Also those already in context."),
    dryRun: z.boolean().optional().describe("Only show what would be loaded."),
  }),
  async run(deps, { run: named, artifacts: asked = [], force, dryRun }): Promise<Outcome<PrimeReply>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    if (!isLive(run)) return no({ code: "run-ended", status: run.status, outputIgnored: false });
    const { template } = await readFrozen(deps, run);
    const { settings, problem } = await findSettings(deps.roots.stateRoot);
    const all = artifactsOf(template, settings.artifacts);
    const unknown = unknownArtifacts(all, asked);
    if (unknown.length > 0) return no({ code: "artifact-unknown", artifacts: unknown, known: all.map(({ id }) => id) });
    const allowance = await allowanceOf(deps, template, run);
    const { session } = deps.caller;
    const loading = {
      ...{ roots: deps.roots, template, run, shared: settings.artifacts, session, allowance },
      moments: [{ type: "manual" } as const],
      force: force === true,
      ...(asked.length === 0 ? {} : { only: asked }),
    };
    const about = { runId: run.runId, ...(problem === null ? {} : { problem }) };
    if (dryRun === true) return yes({ ...about, artifacts: await planRows(loading), text: "" });
    const loaded = await loadTriggered(loading);
    const missing = missingRequired(loaded.loaded);
    if (missing !== undefined) return no(missing);
    const { text, artifacts } = renderArtifacts(loaded.loaded, longestText);
    const command = { type: "note-artifacts", session, artifacts: recordsOf(artifacts, loaded) } as const;
    const noted = await changeRun(deps, chosen.value, template, { command });
    return noted.ok ? yes({ ...about, artifacts: artifacts.map(rowOf), text }) : noted;
  },
});
