import type { AnswerReply } from "../../app/commands/ask-question.ts";
import type { DecideReply } from "../../app/commands/decide-run.ts";
import type { PersonReply } from "../../app/commands/person-commands.ts";
import type { StartReply } from "../../app/commands/start-run.ts";
import type { Overview, StepGlance } from "../../app/queries/overview.ts";
import { closesText } from "../../app/runs/closed-tasks.ts";
import type { Reply, StatusReply } from "../../app/runs/reply.ts";
import { shellWord } from "../../model/quote.ts";
import { beside, bothEnds, widthOf, wrap } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { duration } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { notDoneLines, openTaskLines, openTasksNext } from "./print-open-tasks.ts";
import { drivingTexts, momentText, othersText, staleText, submissionLines } from "./print-status-notes.ts";

/** The reply to an agent: a context action alone, or where the run stands and what to do. */
export function printReply(reply: Reply, paint: Paint): string {
  return "contextAction" in reply
    ? `${paint.strong(wrapText(reply.message, paint.edge))}\n`
    : printStanding(reply, paint);
}

/** The same after a start: which run it is, and whether it is new. */
export function printStarted(reply: StartReply, paint: Paint): string {
  const { note: _note, warning: _warning, ...rest } = reply;
  return `${startedHead(reply, paint)}${printReply(rest, paint)}`;
}

/** After a reset by a person: the same without the instructions, which are for the agent. */
export function printReset(reply: StartReply, paint: Paint): string {
  const where = "contextAction" in reply ? [] : standingHead(reply, paint);
  const next = beside("Next: ", "tell the agent to continue with this run.", paint.edge);
  return `${startedHead(reply, paint)}${where.map((line) => `${line}\n`).join("")}${next}`;
}

function startedHead({ runId, note, warning }: StartReply, paint: Paint): string {
  const head = `${paint.strong("run")} ${runId}${note === undefined ? "" : ` (${note})`}`;
  const warned = warning === undefined ? "" : beside(`${paint.bad("warning:")} `, warning, paint.edge);
  return `${wrapText(head, paint.edge)}\n${warned}`;
}

/** Where the run stands, and the visit or how it ended. */
function standingHead(status: StatusReply, paint: Paint): string[] {
  const where = status.token === null ? statusWord(status.status, paint) : paint.dim(`visit ${status.token}`);
  return wrap([paint.strong(progressLine(status)), where], { columns: paint.edge, indent: "", between: "   " });
}

function printStanding(status: StatusReply, paint: Paint): string {
  const replayed = status.replayed ? `${paint.dim("(this advance was already made; nothing changed)")}\n` : "";
  const artifacts = status.artifacts === undefined ? "" : `\n${status.artifacts}\n`;
  const others = status.otherRuns === undefined ? undefined : othersText(status.otherRuns);
  const notes = [status.note, status.todo, others].filter((note) => note !== undefined);
  const about = notes.map((note) => `${paint.dim(wrapText(note, paint.edge))}\n`).join("");
  const head = standingHead(status, paint);
  const texts = [status.instructions, status.rules, status.recap].flatMap((text) => text ?? []);
  const told = texts.map((text) => wrapText(text, paint.edge)).join("\n\n");
  const gate =
    status.runningGate === undefined
      ? ""
      : `\n${wrapText(gateText(status.runningGate, status.stepType === "command"), paint.edge)}\n`;
  return `${replayed}${head.join("\n")}\n\n${told}\n${gate}${artifacts}${about}${driftLine(status, paint)}`;
}

/** For an agent that comes back while its gate runs. */
function gateText({ commands, seconds }: NonNullable<StatusReply["runningGate"]>, isStep: boolean): string {
  if (isStep) return `It is running (${seconds} s so far). Run \`holdfast next\` to wait for it.`;
  const advice = "Change nothing, and run `holdfast next` again in a while.";
  return `A gate is running (${seconds} s so far): ${commands.join("; ")}. ${advice}`;
}

/** After a command of a person: where the run stands now, in one line. */
export function printWhere(reply: PersonReply, paint: Paint): string {
  const warning = reply.warning === undefined ? "" : beside(`${paint.bad("warning:")} `, reply.warning, paint.edge);
  const parts = [reply.runId, statusWord(reply.status, paint), progressLine(reply)];
  return `${wrap(parts, { columns: paint.edge, indent: "", between: "  " }).join("\n")}\n${warning}`;
}

/** After a decision about a failure or a budget; or what is pending, with the decisions to choose from. */
export function printDecision(reply: DecideReply, paint: Paint): string {
  if (!("pending" in reply)) return printWhere(reply, paint);
  if (reply.pending.length === 0) return "No run waits for a decision.\n";
  return reply.pending
    .map(({ runId, token, task, about, reason, verdicts, closes }) => {
      const why = reason === "" ? about : `${about}: ${reason.replace(/\s+/g, " ")}`;
      const how = `holdfast decide <${verdicts.join("|").replace("go_to", "go_to STEP")}>${task === undefined ? "" : ` --task ${shellWord(task)}`} --run ${runId}`;
      const also = closes === undefined ? "" : beside("  ", closesText(verdicts, closes), paint.edge);
      return `${paint.strong(token)}  ${paint.dim(runId)}\n${beside("  ", why, paint.edge)}${also}${beside("  Next: ", how, paint.edge)}`;
    })
    .join("");
}

/** After an approval or a rejection: what was decided on, and what follows. */
export function printDecided(reply: PersonReply, paint: Paint): string {
  const { decided, task } = reply;
  if (decided === undefined) return printWhere(reply, paint);
  const { decision, next } = decided;
  const title = task === undefined ? "" : ` (${task.title})`;
  const word = decision === "approved" ? paint.good("approved:") : paint.bad("rejected:");
  const head = beside(`${word} `, `${progressLine(reply)}${title}`, paint.edge);
  return `${head}${submissionLines(decided, paint)
    .map((line) => `${line}\n`)
    .join("")}${beside("Next: ", next, paint.edge)}${paint.dim(`Run:  ${reply.runId}`)}\n`;
}

/** After an answer: a person reads what was answered and what follows, an agent goes on with its instructions. */
export function printAnswered(reply: AnswerReply, paint: Paint): string {
  const { answered, runId } = reply;
  if (answered === undefined) return printReply(reply, paint);
  const question = answered.question.replace(/\s+/g, " ");
  const head = beside(`${paint.good("answered:")} `, `${answered.id} ${question}`, paint.edge);
  const next = "The agent gets your answer with its instructions. If it has stopped, tell it to continue.";
  return `${head}${beside("Next: ", next, paint.edge)}${paint.dim(`Run:  ${runId}`)}\n`;
}

/** `step 3/9 build · task 2/5 · verify`. */
function progressLine(status: StatusReply): string {
  const { progress, step, task, ralphIteration, ralphTotal } = status;
  const parts = [`step ${progress.currentStep}/${progress.totalSteps} ${step}`];
  if (task !== undefined) parts.push(`task ${task.index + 1}/${task.total}`, task.subStep);
  if (ralphIteration !== undefined) parts.push(`iteration ${ralphIteration}/${ralphTotal ?? "?"}`);
  return parts.join(" · ");
}

/** On a wider terminal the right-hand texts would be too far from the left-hand ones. */
const widestLine = 100;
const indent = "     ";
/** Of what waits for approval: the rest would push the run off the screen. */
const mostLines = 12;

export function printOverview(overview: Overview, paint: Paint): string {
  const { status } = overview;
  const columns = Math.min(paint.columns, widestLine);
  const steps = overview.steps.map((step) => stepWord(step, paint));
  const { moment, asOf, storeProblem } = status;
  const isStale = (asOf ?? storeProblem) !== undefined;
  const lines = [
    ...(moment === undefined ? [] : [paint.dim(wrapText(momentText(moment), paint.edge))]),
    headLine(overview, paint, columns),
    ...(isStale ? wrapped(staleText(asOf ?? null, storeProblem), paint.columns).map(paint.bad) : []),
    ...wrap(steps, { columns: paint.columns, indent: "  ", between: "    " }),
    ...visitLines(overview, paint, columns),
    ...openTaskLines(status, paint, indent),
    ...notDoneLines(overview, paint, indent),
    ...(overview.submission === null ? [] : submissionLines(overview.submission, paint, mostLines)).map(
      (line) => `  ${line}`,
    ),
    ...drivingTexts(status).flatMap((text) => wrapped(text, paint.columns)),
    ...(overview.used === null ? [] : wrapped(`Used: ${overview.used}`, paint.columns)),
    ...(status.driftedTemplate ? wrapped(driftText, paint.edge).map(paint.dim) : []),
    ...(overview.liveSessions > 1 && status.openTasks === undefined
      ? wrapped(togetherWord(overview.liveSessions), paint.edge).map(paint.bad)
      : []),
    ...wrapped(`${moment === undefined ? "Next" : "Next at that time"}: ${nextWord(overview)}`, paint.columns),
    paint.dim(`  Run:  ${status.runId}`),
    ...(status.otherRuns === undefined ? [] : wrapped(othersText(status.otherRuns), paint.edge).map(paint.dim)),
  ];
  return `${lines.join("\n")}\n`;
}

function wrapped(text: string, columns: number): string[] {
  return wrap(text.split(/\s+/), { columns, indent: "  " });
}

/** Two agents on one visit undo each other's work. */
function togetherWord(sessions: number): string {
  return `${sessions} sessions are working on this run at the same time; see holdfast sessions.`;
}

function headLine({ status, startedAt, until }: Overview, paint: Paint, columns: number): string {
  const state = `${statusWord(status.status, paint)} · ${duration(startedAt, until)}`;
  const summary = status.summary === undefined ? "" : ` · "${status.summary}"`;
  const title = paint.fit(`${status.workflow}${summary}`, columns - widthOf(state) - 3);
  const name = paint.strong(title.slice(0, status.workflow.length)) + title.slice(status.workflow.length);
  return bothEnds(name, state, columns) ?? `${name}   ${state}`;
}

/** The current visit, and what it waits for. A token is never cut, because it has to be sent back. */
function visitLines(overview: Overview, paint: Paint, columns: number): string[] {
  const { status, gates, budget, runBudget, contextActionDue, contextActionOpen } = overview;
  if (status.token === null) return [];
  const { runningGate } = status;
  const visit = `visit ${status.token}`;
  const notes = [
    ...(status.question === undefined
      ? []
      : [`question ${status.question.id}: ${status.question.text.replace(/\s+/g, " ")}`]),
    ...(status.decision === undefined ? [] : [decisionText(status.decision)]),
    ...(status.todo === undefined ? [] : [status.todo]),
    ...(runningGate === undefined ? [] : [`running for ${runningGate.seconds} s: ${runningGate.commands.join("; ")}`]),
    ...gates.map((gate) => `gate: ${gate.replace(/\s+/g, " ")}`),
    ...(budget === null ? [] : [`budget: ${budget}`]),
    ...(runBudget === null ? [] : [`budget of the run: ${runBudget}`]),
    ...(contextActionDue === null ? [] : [`due: /${contextActionDue}`]),
    ...(contextActionOpen === null ? [] : [`waits for you to type /${contextActionOpen}`]),
  ].map((note) => paint.fit(note, paint.columns - indent.length));
  return [
    ...whereLines(status, visit, paint, columns),
    ...wrap(notes, { columns: paint.columns, indent, between: " ".repeat(8) }),
  ];
}

function decisionText({ why, reason }: NonNullable<StatusReply["decision"]>): string {
  return `${why}${reason === "" ? "" : `: ${reason.replace(/\s+/g, " ")}`}`;
}

const leastTitle = 16;

/** `build · task 2/3 Settings toggle · implement (1/2)` and the visit; a long title is cut to fit both on one line. */
function whereLines(status: StatusReply, visit: string, paint: Paint, columns: number): string[] {
  const [head, title, tail] = whereParts(status);
  const around = widthOf(`  ● ${head}${tail}`);
  const room = columns - around - 3 - widthOf(visit);
  const shown = paint.fit(title, room >= leastTitle ? room : Math.max(leastTitle, paint.columns - around));
  const where = `  ● ${paint.strong(`${head}${shown}${tail}`)}`;
  const line = bothEnds(where, paint.dim(visit), columns);
  return line === null ? [where, `${indent}${paint.dim(visit)}`] : [line];
}

function whereParts({ step, task, ralphIteration, ralphTotal }: StatusReply): [string, string, string] {
  if (ralphIteration !== undefined) return [`${step} · iteration ${ralphIteration}/${ralphTotal ?? "?"}`, "", ""];
  if (task === undefined) return [step, "", ""];
  const tail = ` · ${task.subStep} (${task.subStepIndex + 1}/${task.totalSubSteps})`;
  return [`${step} · task ${task.index + 1}/${task.total} `, task.title, tail];
}

function nextWord(overview: Overview): string {
  const { openTasks, status } = overview.status;
  return openTasks === undefined || status === "paused" ? nextOfVisit(overview) : openTasksNext(openTasks);
}

function nextOfVisit(overview: Overview): string {
  const { status, visitStatus } = overview;
  switch (visitStatus) {
    case "running":
      return runningWord(overview);
    case "waiting":
      return waitWord(status);
    case "review":
      return "a person runs holdfast decide <continue|pivot|escalate|abandon>.";
    case "paused":
      return "a person runs holdfast resume.";
    case "complete":
      return "nothing; the run is complete.";
    case "failed":
    case "aborted":
      return `nothing. ${status.instructions}`;
  }
}

function runningWord({ status, contextActionDue, contextActionOpen, approvedBy }: Overview): string {
  // Only the past shows a run between two events that were recorded at once.
  if (status.moment !== undefined && status.token === null) return "the next event, which was recorded with this one.";
  if (status.stepType === "loop" && status.task === undefined) return loopWord(status);
  if (status.stepType === "command") return commandWord(status);
  if (status.runningGate !== undefined) return "the gate ends, and the agent gets its result.";
  if (contextActionDue !== null) return `the agent is asked to run /${contextActionDue} first.`;
  if (contextActionOpen !== null) return `type /${contextActionOpen} in the agent's session, then say: go on.`;
  if (approvedBy !== null) return `approved by ${approvedBy}; the agent can advance now.`;
  return "the agent works on this, then advances.";
}

/** A loop that waits for its tasks is a visit of its own, also when it is entered again. */
function loopWord({ step, token }: StatusReply): string {
  return token === null ? "other agents work on the open tasks." : `the agent sets the tasks of the loop "${step}".`;
}

function commandWord({ runningGate }: StatusReply): string {
  return runningGate === undefined
    ? "the agent's next call carries this out; from a terminal, holdfast next does."
    : "the command ends, and the agent gets what follows.";
}

function waitWord({ decision, question }: StatusReply): string {
  if (decision !== undefined) return `a person runs holdfast decide <${decision.verdicts.join("|")}>.`;
  if (question !== undefined) return 'a person runs holdfast answer "..." or holdfast withdraw.';
  return "a person runs holdfast approve or holdfast reject --reason ...";
}

const signs = { open: "●", done: "✓", skipped: "–", failed: "✗", left: "…", ahead: "○" } as const;

function stepWord({ id, status, visits, tasks }: StepGlance, paint: Paint): string {
  const facts = `${tasks === null ? "" : ` ${tasks}`}${visits > 1 ? ` (${visits} visits)` : ""}`;
  const word = `${signs[status]} ${paint.fit(id, paint.columns - 4 - widthOf(facts))}${facts}`;
  if (status === "open") return paint.strong(word);
  if (status === "failed") return paint.bad(word);
  return status === "done" ? paint.good(word) : paint.dim(word);
}

export function statusWord(status: StatusReply["status"], paint: Paint): string {
  if (status === "complete" || status === "running") return paint.good(status);
  return status === "failed" || status === "aborted" ? paint.bad(status) : paint.strong(status);
}

const driftText = "The workflow file has changed since this run started; holdfast adopt switches to the new version.";

function driftLine(status: StatusReply, paint: Paint): string {
  if (!status.driftedTemplate) return "";
  return `${paint.dim(wrapText(driftText, paint.edge))}\n`;
}
