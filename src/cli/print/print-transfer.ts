import type { Imported } from "../../app/transfer/import-run.ts";
import type { ImportedWorkflow } from "../../app/transfer/import-workflow.ts";
import type { Pulled, PulledRun } from "../../app/transfer/pull-runs.ts";
import type { Pushed } from "../../app/transfer/push-run.ts";
import type { PushedRuns } from "../../app/transfer/push-runs.ts";
import { beside } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

function printPushed(pushed: Pushed, paint: Paint): string {
  const { runId, remote, result, version, kept, claimed = [] } = pushed;
  const said = {
    first: `is now in ${remote}, version ${version}; on another machine: holdfast pull ${runId}`,
    pushed: `is now in ${remote}, version ${version}`,
    same: `is already in ${remote}; nothing was sent`,
    behind: `is newer in ${remote}; nothing was sent. Fetch it with: holdfast pull ${runId}`,
    taken: `was replaced by the version in ${remote}`,
  };
  const here = `agents work on ${claimed.join(", ")} here; whoever receives the run can claim that, too`;
  const warned = claimed.length === 0 ? "" : beside("  ", here, paint.edge);
  return `${beside(`${paint.strong(runId)} `, said[result], paint.edge)}${warned}${keptLine(kept, paint)}`;
}

export function printPush(pushed: Pushed | PushedRuns, paint: Paint): string {
  return "runs" in pushed ? printPushedRuns(pushed, paint) : printPushed(pushed, paint);
}

function printPushedRuns({ remote, runs, left }: PushedRuns, paint: Paint): string {
  const sent = runs.filter(({ result }) => result !== "same");
  const lines = sent.map((run) =>
    run.result === "refused" ? refusedLine(run, paint) : printPushed({ ...run, remote }, paint),
  );
  const counts = [
    `${plural(runs.length, "run")} to keep in ${remote}`,
    ...(sent.length < runs.length ? [`${runs.length - sent.length} unchanged`] : []),
    ...(left > 0 ? [`${plural(left, "ended run")} never sent (name one to send it)`] : []),
  ];
  return `${lines.join("")}${wrapText(counts.join(", "), paint.edge)}\n`;
}

/** The number of runs listed one by one; the rest are counted. */
const mostRows = 20;

export function printPulled({ remote, runs, left }: Pulled, paint: Paint): string {
  const refused = runs.filter((run) => run.result === "refused");
  const moved = runs.filter((run) => run.result !== "refused" && run.result !== "same");
  const shown = moved.slice(0, mostRows).map((run) => pulledLine(run, paint));
  const more = moved.length > mostRows ? `and ${plural(moved.length - mostRows, "more run")}\n` : "";
  const same = runs.length - moved.length - refused.length;
  const counts = [
    `${plural(runs.length, "run")} in ${remote}`,
    ...(same > 0 ? [`${same} unchanged`] : []),
    ...(left > 0 ? [`${plural(left, "ended run")} not fetched (use --all)`] : []),
  ];
  const total = wrapText(counts.join(", "), paint.edge);
  return `${shown.join("")}${more}${refused.map((run) => pulledLine(run, paint)).join("")}${total}\n`;
}

function pulledLine(run: PulledRun, paint: Paint): string {
  if (run.result === "refused") return refusedLine(run, paint);
  const ahead =
    run.ahead === 0
      ? ""
      : beside("  ", `${plural(run.ahead, "event")} have a time in the future, which is not trusted`, paint.edge);
  return `${arrival(run, paint)}${ahead}${keptLine(run.kept, paint)}`;
}

function refusedLine(run: Extract<PulledRun, { result: "refused" }>, paint: Paint): string {
  const head = beside(`${paint.strong(run.runId)} ${paint.bad("refused:")} `, run.problem, paint.edge);
  return `${head}${beside("  Next   ", run.next, paint.edge)}`;
}

const words = {
  new: "was added",
  updated: "was updated",
  same: "is unchanged",
  ahead: "is newer here",
  sent: "was sent to the remote",
} as const;

export function printImported(imported: Imported, paint: Paint): string {
  return `${arrival(imported, paint)}${keptLine(imported.kept, paint)}`;
}

function arrival({ runId, result, step, released = [] }: Arrived, paint: Paint): string {
  const freed = `${released.join(", ")}: free again, because claims do not count on another machine`;
  const line = beside(`${paint.strong(runId)} `, `${words[result]}, at ${step}`, paint.edge);
  return `${line}${released.length === 0 ? "" : beside("  ", freed, paint.edge)}`;
}

interface Arrived {
  readonly runId: string;
  readonly result: keyof typeof words;
  readonly step: string;
  readonly released?: readonly string[];
}

export function printWorkflowImport(imported: ImportedWorkflow, paint: Paint): string {
  const { workflow, file, steps, shadows, bases, notes } = imported;
  const hidden = shadows ? "  it overrides the built-in workflow of that name; use -o for another name\n" : "";
  const merged = bases.length === 0 ? "" : `, with those of ${bases.join(" and ")}`;
  const head = `${paint.strong(workflow)} was written to ${file} (${plural(steps, "step")}${merged})\n${hidden}`;
  const rest = notes.map((note) => beside("  - ", note, paint.edge)).join("");
  return `${head}${notes.length === 0 ? "" : `Without an equivalent here (also noted in the file):\n${rest}`}`;
}

function keptLine(kept: string | null, paint: Paint): string {
  return kept === null ? "" : beside("  ", `the other side is kept next to the journal, as ${kept}`, paint.edge);
}
