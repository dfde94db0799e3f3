import type { Imported } from "../../app/transfer/import-run.ts";
import type { ImportedWorkflow } from "../../app/transfer/import-workflow.ts";
import type { Pulled, PulledRun } from "../../app/transfer/pull-runs.ts";
import type { Pushed } from "../../app/transfer/push-run.ts";
import type { Paint } from "../terminal/paint.ts";
import { plural } from "../terminal/wording.ts";

export function printPushed(pushed: Pushed, paint: Paint): string {
  const { runId, remote, result, version, kept } = pushed;
  const said = {
    first: `is in ${remote} now, version ${version}; elsewhere: holdfast pull ${runId}`,
    pushed: `is in ${remote} now, version ${version}`,
    same: `is in ${remote} already; nothing was sent`,
    behind: `has gone on elsewhere; nothing was sent. Bring it here with holdfast pull ${runId}`,
    taken: `is as in ${remote} now`,
  };
  return `${paint.strong(runId)} ${said[result]}\n${keptLine(kept)}`;
}

/** So many are shown one by one; behind that a count says more. */
const mostRows = 20;

export function printPulled({ remote, runs, left }: Pulled, paint: Paint): string {
  const refused = runs.filter((run) => run.result === "refused");
  const moved = runs.filter((run) => run.result !== "refused" && run.result !== "same");
  const shown = moved.slice(0, mostRows).map((run) => pulledLine(run, paint));
  const more = moved.length > mostRows ? `and ${plural(moved.length - mostRows, "more run")}\n` : "";
  const same = runs.length - moved.length - refused.length;
  const counts = [
    `${plural(runs.length, "run")} of ${remote}`,
    ...(same > 0 ? [`${same} as before`] : []),
    ...(left > 0 ? [`${plural(left, "run")} that ended left there (--all brings them)`] : []),
  ];
  return `${shown.join("")}${more}${refused.map((run) => pulledLine(run, paint)).join("")}${counts.join(", ")}\n`;
}

function pulledLine(run: PulledRun, paint: Paint): string {
  if (run.result === "refused") {
    return `${paint.strong(run.runId)} ${paint.bad("refused:")} ${run.problem}\n  Next   ${run.next}\n`;
  }
  const ahead =
    run.ahead === 0
      ? ""
      : `  ${plural(run.ahead, "event")} say that they happen later than now; that is not believed\n`;
  return `${paint.strong(run.runId)} ${words[run.result]}, at ${run.step}\n${ahead}${keptLine(run.kept)}`;
}

const words = {
  new: "is here now",
  updated: "has gone on",
  same: "is as before",
  ahead: "is further here",
  sent: "was sent as it is here",
} as const;

export function printImported({ runId, result, step, kept }: Imported, paint: Paint): string {
  return `${paint.strong(runId)} ${words[result]}, at ${step}\n${keptLine(kept)}`;
}

export function printWorkflowImport(imported: ImportedWorkflow, paint: Paint): string {
  const { workflow, file, steps, shadows, notes } = imported;
  const hidden = shadows ? "  it hides the built-in workflow of that name; -o gives another\n" : "";
  const head = `${paint.strong(workflow)} is in ${file} now (${plural(steps, "step")})\n${hidden}`;
  const rest = notes.map((note) => `  - ${note}\n`).join("");
  return `${head}${notes.length === 0 ? "" : `What has no equivalent here, also noted in the file:\n${rest}`}`;
}

function keptLine(kept: string | null): string {
  return kept === null ? "" : `  the other side is kept beside the run's journal, as ${kept}\n`;
}
