import type { Overview, StepGlance } from "../app/overview.ts";
import type { ContextActionReply, Reply, StatusReply } from "../app/reply.ts";
import type { Paint } from "./paint.ts";

/** What an agent is told: the context action alone, or where it stands and what to do. */
export function printReply(reply: Reply, paint: Paint): string {
  if (asksForContextAction(reply)) return `${paint.strong(reply.message)}\n`;
  const replayed = reply.replayed ? `${paint.dim("(this advance was made before; nothing changed)")}\n` : "";
  const token = reply.token === null ? "" : `   ${paint.dim(`visit ${reply.token}`)}`;
  return `${replayed}${paint.strong(progressLine(reply))}${token}\n\n${reply.instructions}\n${driftLine(reply, paint)}`;
}

function asksForContextAction(reply: Reply): reply is ContextActionReply {
  return "contextAction" in reply;
}

/** After a person's command: where the run stands now, in one line. */
export function printWhere(reply: StatusReply & { readonly warning?: string }, paint: Paint): string {
  const warning = reply.warning === undefined ? "" : `${paint.bad("warning:")} ${reply.warning}\n`;
  return `${reply.runId}  ${statusWord(reply.status, paint)}  ${progressLine(reply)}\n${warning}`;
}

/** `step 3/9 build · task 2/5 · verify`. */
export function progressLine(status: StatusReply): string {
  const { currentStep, totalSteps } = status.progress;
  const parts = [`step ${currentStep}/${totalSteps} ${status.step}`];
  if (status.task)
    parts.push(`task ${status.task.index + 1}/${status.task.total} ${status.task.title}`, status.task.subStep);
  if (status.ralphIteration) parts.push(`iteration ${status.ralphIteration}/${status.ralphTotal ?? "?"}`);
  return parts.join(" · ");
}

export function printOverview(overview: Overview, paint: Paint): string {
  const { status, gates, budget, contextActionDue } = overview;
  const title = `${paint.strong(status.workflow)}${status.summary === undefined ? "" : ` · "${status.summary}"`}`;
  const state = `${statusWord(status.status, paint)} · ${duration(overview.startedAt, overview.until)}`;
  const lines = [
    `${title}   ${state}   ${paint.dim(status.runId)}`,
    ...wrap(
      overview.steps.map((step) => stepWord(step, paint)),
      paint.columns,
    ),
  ];
  if (status.token !== null) {
    lines.push(`  ● ${paint.strong(progressLine(status))}   ${paint.dim(`visit ${status.token}`)}`);
    if (gates.length > 0) lines.push(`    gate: ${gates.join("; ")}`);
    if (budget !== null) lines.push(`    budget: ${budget}`);
    if (contextActionDue !== null) lines.push(`    context action due: /${contextActionDue}`);
  }
  if (status.driftedTemplate) lines.push(driftLine(status, paint).trimEnd());
  lines.push(`  Next: ${nextWord(status)}`);
  return `${lines.join("\n")}\n`;
}

function nextWord(status: StatusReply): string {
  switch (status.status) {
    case "running":
      return status.stepType === "loop" && status.task === undefined
        ? `the agent sets the tasks of the loop "${status.step}".`
        : "the agent works on this, then calls workflow_advance.";
    case "waiting":
      return "a person types holdfast approve, or holdfast reject --reason ...";
    case "review":
      return "a person types holdfast decide <continue|pivot|escalate|abandon>.";
    case "paused":
      return "a person types holdfast resume.";
    case "complete":
      return "nothing; the run is complete.";
    case "failed":
    case "aborted":
      return `nothing; ${status.instructions}`;
  }
}

const signs = { open: "●", done: "✓", skipped: "–", failed: "✗", left: "…", ahead: "○" } as const;

function stepWord({ id, status, visits, tasks }: StepGlance, paint: Paint): string {
  const word = `${signs[status]} ${id}${tasks === null ? "" : ` ${tasks}`}${visits > 1 ? ` (${visits} visits)` : ""}`;
  if (status === "open") return paint.strong(word);
  if (status === "failed") return paint.bad(word);
  return status === "done" ? paint.good(word) : paint.dim(word);
}

function statusWord(status: StatusReply["status"], paint: Paint): string {
  if (status === "complete" || status === "running") return paint.good(status);
  return status === "failed" || status === "aborted" ? paint.bad(status) : paint.strong(status);
}

function driftLine(status: StatusReply, paint: Paint): string {
  if (!status.driftedTemplate) return "";
  return `${paint.dim("The workflow's file has changed since this run took it; holdfast adopt takes the new one.")}\n`;
}

function wrap(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = " ";
  for (const word of words) {
    if (line.length > 1 && line.length + word.length > columns) {
      lines.push(line);
      line = " ";
    }
    line += ` ${word}   `;
  }
  return [...lines, line].map((each) => each.trimEnd());
}

function duration(from: string, to: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
