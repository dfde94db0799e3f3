import type { Imported } from "../../app/transfer/import-run.ts";
import type { ImportedWorkflow } from "../../app/transfer/import-workflow.ts";
import type { Pulled, PulledRun } from "../../app/transfer/pull-runs.ts";
import type { Pushed } from "../../app/transfer/push-run.ts";
import { beside } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

export function printPushed(pushed: Pushed, paint: Paint): string {
  const { runId, remote, result, version, kept } = pushed;
  const said = {
    first: `is in ${remote} now, version ${version}; elsewhere: holdfast pull ${runId}`,
    pushed: `is in ${remote} now, version ${version}`,
    same: `is in ${remote} already; nothing was sent`,
    behind: `has gone on elsewhere; nothing was sent. Bring it here with holdfast pull ${runId}`,
    taken: `is as in ${remote} now`,
  };
  return `${beside(`${paint.strong(runId)} `, said[result], paint.edge)}${keptLine(kept, paint)}`;
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
  const total = wrapText(counts.join(", "), paint.edge);
  return `${shown.join("")}${more}${refused.map((run) => pulledLine(run, paint)).join("")}${total}\n`;
}

function pulledLine(run: PulledRun, paint: Paint): string {
  if (run.result === "refused") {
    const head = beside(`${paint.strong(run.runId)} ${paint.bad("refused:")} `, run.problem, paint.edge);
    return `${head}${beside("  Next   ", run.next, paint.edge)}`;
  }
  const ahead =
    run.ahead === 0
      ? ""
      : beside(
          "  ",
          `${plural(run.ahead, "event")} say that they happen later than now; that is not believed`,
          paint.edge,
        );
  return `${arrival(run, paint)}${ahead}${keptLine(run.kept, paint)}`;
}

const words = {
  new: "is here now",
  updated: "has gone on",
  same: "is as before",
  ahead: "is further here",
  sent: "was sent as it is here",
} as const;

export function printImported(imported: Imported, paint: Paint): string {
  return `${arrival(imported, paint)}${keptLine(imported.kept, paint)}`;
}

function arrival({ runId, result, step }: Arrived, paint: Paint): string {
  return beside(`${paint.strong(runId)} `, `${words[result]}, at ${step}`, paint.edge);
}

interface Arrived {
  readonly runId: string;
  readonly result: keyof typeof words;
  readonly step: string;
}

export function printWorkflowImport(imported: ImportedWorkflow, paint: Paint): string {
  const { workflow, file, steps, shadows, notes } = imported;
  const hidden = shadows ? "  it hides the built-in workflow of that name; -o gives another\n" : "";
  const head = `${paint.strong(workflow)} is in ${file} now (${plural(steps, "step")})\n${hidden}`;
  const rest = notes.map((note) => beside("  - ", note, paint.edge)).join("");
  return `${head}${notes.length === 0 ? "" : `What has no equivalent here, also noted in the file:\n${rest}`}`;
}

function keptLine(kept: string | null, paint: Paint): string {
  return kept === null ? "" : beside("  ", `the other side is kept beside the run's journal, as ${kept}`, paint.edge);
}
