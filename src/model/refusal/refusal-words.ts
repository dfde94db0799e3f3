import { joinWords } from "../one-of.ts";
import { bare, quote } from "../quote.ts";
import { askingRefusals } from "./refusal-asking.ts";
import type { RefusalFacts } from "./refusal-facts.ts";
import { movingRefusals } from "./refusal-moving.ts";

interface Entry<C extends keyof RefusalFacts> {
  readonly when: string;
  word(facts: RefusalFacts[C]): readonly [message: string, next: string];
}

/** Each code in words: when it comes, what is wrong, and what to do next. */
export const refusalWords: { readonly [C in keyof RefusalFacts]: Entry<C> } = {
  ...askingRefusals,
  ...movingRefusals,
  "run-unknown": {
    when: "No run of that id, or no live run at all.",
    word: (d) => [
      d.run === null ? "no run is live here" : `there is no run ${bare(d.run)} here`,
      d.run === null
        ? "start one: holdfast start <workflow>; holdfast runs lists those that ended"
        : "see which there are: holdfast runs",
    ],
  },
  "run-ambiguous": {
    when: "Several runs are live and nothing says which is meant.",
    word: (d) => [
      `several runs are live: ${d.runs.join(", ")}`,
      "say which one with --run <id> (run_id in a tool call)",
    ],
  },
  "run-live": {
    when: "A run that is still live was to be removed.",
    word: (d) => [`the run ${d.run} is still live`, `end it first: holdfast abort --run ${d.run}`],
  },
  "workflow-unknown": {
    when: "There is no workflow of that name, in the project or built in.",
    word: (d) => [`there is no workflow ${quote(d.workflow)}`, `name one of ${d.known.join(", ")}`],
  },
  "template-invalid": {
    when: "A workflow file has problems; nothing of it is used.",
    word: (d) => [
      `${d.file} is not a valid workflow:\n  ${d.problems.join("\n  ")}`,
      `mend it; check with: holdfast lint ${d.file}`,
    ],
  },
  "template-untrusted": {
    when: "A workflow runs commands and no person has trusted exactly this version of it.",
    word: (d) => [
      `the workflow "${d.workflow}" runs commands that nobody has trusted yet:\n  ${d.commands.join("\n  ")}`,
      `a person reads them, then types: holdfast trust ${d.workflow}`,
    ],
  },
  "person-needed": {
    when: "Only a person may do this: at a terminal, outside an agent's shell, or with the secret.",
    word: (d) => [`${d.what} is for a person: ${d.why}`, "type it yourself in a terminal of your own"],
  },
  "confirmation-needed": {
    when: "Something would be lost for good, or leave this machine, and nobody was there to confirm it.",
    word: (d) => [d.what, "say it again with --yes"],
  },
  "event-unknown": {
    when: "The run has no event of that number.",
    word: (d) => [`there is no event ${d.event}`, `the run has the events 1 to ${d.last}; see holdfast log`],
  },
  "run-absent": {
    when: "A command came before the run was started.",
    word: () => ["this run has not been started", "start it first"],
  },
  "run-exists": {
    when: "A run was started a second time.",
    word: (d) => [`the run ${d.runId} has been started already`, "read its status and go on from there"],
  },
  "run-ended": {
    when: "The run is complete, failed or aborted; nothing moves any more.",
    word: (d) => [
      `the run is ${d.status}${d.outputIgnored ? "; the output was ignored, and what was recorded stays" : ""}`,
      "start a new run to go on",
    ],
  },
  "run-paused": {
    when: "The run is paused.",
    word: (d) => [`the run is paused${d.reason === null ? "" : `: ${d.reason}`}`, "a person types holdfast resume"],
  },
  "run-not-paused": {
    when: "A run was to be resumed that is not paused.",
    word: (d) => [`the run is not paused, it is ${d.status}`, "read its status"],
  },
  "step-stale": {
    when: "The token, or the session, belongs to a visit that has ended, with another answer, or to none.",
    word: (d) => {
      if (d.seat) return [`the visit that this session was given, ${d.sent}, is over`, lookAgain(d.open)];
      return [
        d.spent
          ? `the visit ${bare(d.sent)} has ended with another answer`
          : `${bare(d.sent)} is no open visit of this run`,
        d.open.length === 0
          ? "read the status; no visit is open"
          : `read the status, then advance with the current token, ${joinWords(d.open, "or")}`,
      ];
    },
  },
  "step-unknown": {
    when: "A step was named that the workflow does not have.",
    word: (d) => [`"${d.step}" is no step of this workflow`, `name one of ${d.known.join(", ")}`],
  },
  "visit-ambiguous": {
    when: "Several visits are open and neither a token nor a session says which is meant.",
    word: (d) => ["several visits are open", `send the token of yours: ${d.open.join(", ")}`],
  },
  "tasks-missing": {
    when: "The run stands at a loop whose tasks have not been set.",
    word: (d) => [
      `the loop "${d.loop}" has no tasks yet`,
      `set the tasks of the loop "${d.loop}" first (workflow_set_tasks, or holdfast tasks ${d.loop}); an empty list skips it`,
    ],
  },
  "loop-unknown": {
    when: "Tasks were set for a loop that the workflow does not have.",
    word: (d) => [
      `"${d.loop}" is no loop of this workflow`,
      d.known.length === 0 ? "this workflow has no loops" : `name one of ${d.known.join(", ")}`,
    ],
  },
  "loop-finished": {
    when: "Tasks were set for a loop that the run has finished and left.",
    word: (d) => [
      `the loop "${d.loop}" is finished`,
      "go on with the current step; if the run comes back to the loop, it asks for new tasks",
    ],
  },
  "task-invalid": {
    when: "A task in the list has no usable id or title, or an id occurs twice.",
    word: (d) => [
      `task ${d.index + 1}: ${d.problem}`,
      "send the whole list again; each task needs an id and a title, each id once",
    ],
  },
  "outcome-needed": {
    when: "The step asks for one of its outcomes and none was sent.",
    word: (d) => [`the step "${d.step}" ends with an outcome`, `send one of ${d.known.join(", ")}`],
  },
  "outcome-unknown": {
    when: "The outcome is not one of the step's.",
    word: (d) => [`"${d.outcome}" is no outcome of this step`, `send one of ${d.known.join(", ")}`],
  },
  "outcome-unexpected": {
    when: "An outcome was sent where none fits: the step has none, or the visit failed.",
    word: (d) => [
      d.failed ? "a failed visit has no outcome" : `this step has no outcomes, so "${d.outcome}" leads nowhere`,
      "send the advance again without an outcome",
    ],
  },
  "gate-unchecked": {
    when: "The visit has gates that were not checked for this advance.",
    word: () => ["the gates of this visit were not checked", "check them, then advance"],
  },
  "gate-failed": {
    when: "A gate does not hold.",
    word: (d) => [
      `the gate does not hold: ${d.what}${d.exitCode === null ? "" : ` (exit ${d.exitCode})`}${indent(d.tail)}`,
      "mend what it shows, then advance again with the same token",
    ],
  },
  "gate-running": {
    when: "The gates of the visit are still being checked, here or by another process.",
    word: (d) => [
      `the gate is still being checked (${d.seconds} s so far)`,
      "call workflow_status or workflow_advance again in a while; its result comes with that",
    ],
  },
  "approval-needed": {
    when: "A person must approve before the visit may end.",
    word: () => [
      "this step waits for a person's approval",
      "a person types holdfast approve (or holdfast reject --reason ...); then advance again",
    ],
  },
  "approval-not-asked": {
    when: "An approval or a rejection came while none was asked for.",
    word: (d) => [`${d.token} does not wait for an approval`, "read the status; approve when the run is waiting"],
  },
  "review-needed": {
    when: "The budget of the visit is spent and a person must decide how to go on.",
    word: (d) => [
      `the budget of this visit is spent (${d.spent})`,
      "a person types holdfast decide with continue, pivot, escalate or abandon",
    ],
  },
  "review-not-open": {
    when: "A review was decided while none is open.",
    word: (d) => [`${d.token} is not in review`, "read the status; decide when the run is in review"],
  },
  "continue-refused": {
    when: "The same visit has been continued five times in a row.",
    word: (d) => [`this visit has been continued ${d.continues} times in a row`, "pivot, escalate or abandon instead"],
  },
  "template-changed": {
    when: "Someone adopted a changed template while this was being decided.",
    word: () => ["the workflow of this run has been changed meanwhile", "read the status, and try again"],
  },
  "template-unfit": {
    when: "The changed template has no place for where the run stands.",
    word: (d) => [
      `the new template does not fit: ${d.problem}`,
      `bring "${d.step}" back as it was, or go to another step first`,
    ],
  },
  "artifact-unknown": {
    when: "An artifact was asked for that the workflow does not have.",
    word: (d) => [
      `there is no artifact ${d.artifacts.map(quote).join(", ")}`,
      d.known.length === 0 ? "this workflow has no critical artifacts" : `ask for ${d.known.map(quote).join(", ")}`,
    ],
  },
  "artifact-missing": {
    when: "A required artifact is not there: the run cannot go on past this point.",
    word: (d) => [
      `the required artifact ${quote(d.artifact)} cannot be loaded${d.path === null ? "" : ` from ${d.path}`}: ${d.problem}`,
      "put it there, or change its path in the workflow and adopt that; then go on",
    ],
  },
  "tracked-unknown": {
    when: "No workflow of that name is tracked, or none at all.",
    word: (d) => [
      d.workflow === null ? "no workflow is tracked here" : `no workflow ${quote(d.workflow)} is tracked here`,
      d.known.length === 0
        ? 'begin with one: holdfast track start "Its name" --phase 1/3'
        : `name one of ${d.known.map(quote).join(", ")}`,
    ],
  },
  "tracked-ambiguous": {
    when: "Several workflows are tracked and nothing says which is meant.",
    word: (d) => [
      `several workflows are tracked: ${d.workflows.map(quote).join(", ")}`,
      "say which one with --workflow NAME",
    ],
  },
  "tracked-exists": {
    when: "A workflow that is tracked already was to be started.",
    word: (d) => [
      `the workflow ${quote(d.workflow)} is tracked already, at ${d.where}`,
      "go on with holdfast track phase, or end it first: holdfast track complete",
    ],
  },
  "tracking-off": {
    when: "The project's settings switch off what tracked workflows need.",
    word: (d) => [`${d.what} are switched off here`, "switch them on in .holdfast/config.yaml"],
  },
};

function lookAgain(open: readonly string[]): string {
  const look = "call workflow_status (holdfast next) for what is to be done now";
  return open.length === 0 ? look : `${look}, ${joinWords(open, "or")}`;
}

function indent(text: string): string {
  const lines = text.trimEnd();
  return lines === "" ? "" : `\n${lines.replace(/^/gm, "  | ")}`;
}
