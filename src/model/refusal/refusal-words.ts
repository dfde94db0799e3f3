import { didYouMean } from "../nearest.ts";
import { bare, inOneLine, joinWords, quote, shellWord } from "../quote.ts";
import { accessRefusals } from "./refusal-access.ts";
import { artifactRefusals } from "./refusal-artifacts.ts";
import { askingRefusals } from "./refusal-asking.ts";
import { claimRefusals } from "./refusal-claims.ts";
import { decidingRefusals } from "./refusal-deciding.ts";
import { drivingRefusals } from "./refusal-driving.ts";
import type { RefusalFacts } from "./refusal-facts.ts";
import { movingRefusals } from "./refusal-moving.ts";
import { runRefusals } from "./refusal-runs.ts";
import { startingRefusals } from "./refusal-starting.ts";
import { storeRefusals } from "./refusal-store.ts";
import { trackingRefusals } from "./refusal-tracking.ts";
import { variableRefusals } from "./refusal-variables.ts";
import { type Next, ofTask, readStatus, retryFromStatus, type Wording } from "./wording.ts";

const sendOutcome: Next = { cli: "advance again with --outcome <name>", mcp: "advance again with one of them" };

/** The text of every code. Facts go into the message; what to do about them goes into `next`. */
export const refusalWords: { readonly [C in keyof RefusalFacts]: Wording<RefusalFacts[C]> } = {
  ...accessRefusals,
  ...storeRefusals,
  ...artifactRefusals,
  ...askingRefusals,
  ...claimRefusals,
  ...decidingRefusals,
  ...drivingRefusals,
  ...movingRefusals,
  ...runRefusals,
  ...startingRefusals,
  ...trackingRefusals,
  ...variableRefusals,
  "workflow-unknown": {
    when: "There is no workflow with that name, in the project or built in.",
    word: (d) => [
      `there is no workflow ${quote(d.workflow)}${didYouMean(d.workflow, d.known)}`,
      `use one of ${d.known.join(", ")}`,
    ],
  },
  "template-invalid": {
    when: "The workflow file has problems, so it cannot be used.",
    word: (d) => [
      `${d.file} is not a valid workflow:\n  ${d.problems.join("\n  ")}`,
      { cli: `fix it, then check it with: holdfast lint ${shellWord(d.file)}`, mcp: "fix the file, then call again" },
    ],
  },
  "template-untrusted": {
    when: "The workflow runs commands, and no person has trusted exactly these commands in this project.",
    word: (d) => [
      `the workflow "${d.workflow}" runs commands that nobody has trusted yet:\n  ${d.covers.join("\n  ")}` +
        (d.changes.length === 0 ? "" : `\nSince it was last trusted:\n  ${d.changes.join("\n  ")}`),
      d.given
        ? "a person must read them, then start it in a terminal of their own, or with --trust"
        : `a person must read them, then run: holdfast trust ${shellWord(d.workflow)}`,
    ],
  },
  "person-needed": {
    when: "Only a person may do this: at a terminal, outside an agent's shell, or with the secret.",
    word: (d) => [
      `${d.what} is for a person: ${d.why}`,
      d.inAgent
        ? "a person must run this command in a second terminal in this folder; what is typed after ! still runs in the agent's shell"
        : "a person must run this command in a terminal of their own",
    ],
  },
  "confirmation-needed": {
    when: "Something would be lost for good or leave this machine, and nobody confirmed it.",
    word: (d) => [d.what, "run it again with --yes"],
  },
  "event-unknown": {
    when: "The run has no event with that number.",
    word: (d) => [
      `there is no event ${d.event}`,
      `use a number from 1 to ${d.last}; \`holdfast log\` lists the events`,
    ],
  },
  "run-absent": {
    when: "The run has not been started.",
    word: () => ["this run has not been started", "start it first"],
  },
  "run-exists": {
    when: "The run has already been started.",
    word: (d) => [`the run ${d.runId} has already been started`, readStatus],
  },
  "run-ended": {
    when: "The run is complete, failed or aborted and cannot move any more.",
    word: (d) => [
      `the run is ${d.status}${d.outputIgnored ? "; this output was not recorded" : ""}`,
      {
        cli:
          d.status === "complete"
            ? "start a new run with `holdfast start`"
            : "start a new run with `holdfast start`, or revive this one with `holdfast reopen <run>`",
        mcp: "nothing is left to do on it; start another run with workflow_start only if the person asks for one",
      },
    ],
  },
  "step-stale": {
    when: "The token, or the session's last visit, is not an open visit: it has ended, or it never existed.",
    word: (d) => [staleText(d), d.seat ? currentWork(d.open) : currentToken(d)],
  },
  "step-unknown": {
    when: "The workflow has no step with that name.",
    word: (d) => [
      d.step === "" ? "no step was named" : `"${d.step}" is not a step of this workflow`,
      `use one of ${d.known.join(", ")}`,
    ],
  },
  "instructions-not-taken": {
    when: "The visit has been opened, but its instructions have not been handed out, so it cannot end yet.",
    word: (d) => [
      `you have not been given the current instructions of ${d.token} yet, so "${d.step}" cannot be finished`,
      {
        cli: "get them with `holdfast next`, follow them, then advance; `holdfast fail` is possible at any time",
        mcp: "call workflow_status for the instructions, follow them, then call workflow_advance",
      },
    ],
  },
  "tasks-missing": {
    when: "The run is at a loop whose tasks have not been set.",
    word: (d) => [
      `the loop "${d.loop}" has no tasks yet`,
      {
        cli: `set its tasks with \`holdfast tasks ${shellWord(d.loop)} --file <file>\`; [] skips the loop`,
        mcp: `set the tasks of the loop "${d.loop}" with workflow_set_tasks; an empty list skips it`,
      },
    ],
  },
  "loop-unknown": {
    when: "The workflow has no loop with that name.",
    word: (d) => [
      `"${d.loop}" is not a loop of this workflow`,
      d.known.length === 0 ? "this workflow has no loops" : `use one of ${d.known.join(", ")}`,
    ],
  },
  "loop-finished": {
    when: "The run has finished this loop and left it.",
    word: (d) => [
      `the loop "${d.loop}" is finished`,
      "continue with the current step; if the run returns to the loop, it asks for new tasks",
    ],
  },
  "task-invalid": {
    when: "A task has no usable id or title, or its id occurs twice.",
    word: (d) => [
      `task ${d.index + 1}: ${d.problem}`,
      "send the whole list again: ids are unique, every task has a title, and depends_on names tasks of the list, in no circle",
    ],
  },
  "outcome-needed": {
    when: "The step ends with one of its outcomes and none was sent.",
    word: (d) => [`the step "${d.step}" needs an outcome: ${d.known.join(", ")}`, sendOutcome],
  },
  "outcome-unknown": {
    when: "The step has no outcome with that name.",
    word: (d) => [`"${d.outcome}" is not one of this step's outcomes: ${d.known.join(", ")}`, sendOutcome],
  },
  "outcome-unexpected": {
    when: "An outcome was sent, but the step has none or the visit failed.",
    word: (d) => [
      d.failed ? "a failed visit has no outcome" : `this step has no outcomes, but "${d.outcome}" was sent`,
      "advance again without an outcome",
    ],
  },
  "gate-unchecked": {
    when: "The visit has gates that were not checked for this advance.",
    word: () => ["the gates of this visit were not checked", "check them, then advance"],
  },
  "gate-failed": {
    when: "A gate failed.",
    word: (d) => [
      `the gate failed: ${inOneLine(d.what)}${d.exitCode === null ? "" : ` (exit ${d.exitCode})`}${indent(d.tail)}`,
      {
        cli: "fix the failure above, then advance again",
        mcp: "fix the failure above, then advance again with the same token",
      },
    ],
  },
  "gate-running": {
    when: "The gates of the visit are still running, here or in another process.",
    word: (d) => [
      `the gate is still running (${d.seconds} s so far)`,
      {
        cli: "run `holdfast next` in a while to get the result",
        mcp: "call workflow_status or workflow_advance again in a while to get the result",
      },
    ],
  },
  "approval-needed": {
    when: "A person must approve before the visit can end.",
    word: (d) => [
      "this step needs a person's approval",
      {
        cli: `a person must run ${howToApprove(d)}; then advance again${d.free === undefined ? "" : ". Other tasks are free meanwhile: holdfast next --task <id>"}`,
        mcp: `tell the person to run ${howToApprove(d)} and ${meanwhile(d)}; advance again once they have`,
      },
    ],
  },
  "approval-not-asked": {
    when: "The visit is not waiting for an approval.",
    word: (d) => [
      d.isOther === true
        ? `${d.token} now waits for the approval of a newer submission`
        : `${d.token} is not waiting for an approval`,
      readStatus,
    ],
  },
  "approval-elsewhere": {
    when: "The workflow says where this approval may be given, and this is another place.",
    word: (d) => [
      `${d.token} can be approved only here: ${d.places.join(", ")}`,
      d.places.includes("terminal") ? "approve it in a terminal with `holdfast approve`" : readStatus,
    ],
  },
  "review-needed": {
    when: "The budget of the visit, or of the whole run, is spent, and a person must decide how to continue.",
    word: (d) => [
      `the budget of ${d.of === "run" ? "the whole run" : "this visit"} is spent (${d.spent})`,
      `a person must run \`holdfast decide${ofTask(d)}\` with continue, pivot, escalate or abandon`,
    ],
  },
  "review-not-open": {
    when: "The visit is not in review.",
    word: (d) => [`${d.token} is not in review`, readStatus],
  },
  "continue-refused": {
    when: "The same visit has been continued five times in a row.",
    word: (d) => [
      `this visit has been continued ${d.continues} times in a row`,
      "decide pivot, escalate or abandon instead",
    ],
  },
  "template-changed": {
    when: "The run adopted a changed workflow while this command was being decided.",
    word: () => ["the workflow of this run was changed in the meantime", retryFromStatus],
  },
  "template-unfit": {
    when: "The changed workflow has no place for the run's current step.",
    word: (d) => [
      `the changed workflow does not fit this run: ${d.problem}`,
      `restore "${d.step}" in the workflow, or move the run first: holdfast goto <step> --reason "..."`,
    ],
  },
};

function staleText({ sent, spent, seat }: RefusalFacts["step-stale"]): string {
  if (seat) return `the visit given to this session, ${sent}, has ended`;
  return spent
    ? `the visit ${bare(sent)} has already ended with a different result`
    : `${bare(sent)} is not an open visit of this run`;
}

function currentWork(open: readonly string[]): Next {
  const current = open.length === 0 ? "" : `, ${joinWords(open, "or")}`;
  return {
    cli: `run \`holdfast next\` to get the current work${current}`,
    mcp: `call workflow_status to get the current work${current}`,
  };
}

function currentToken({ open, elsewhere }: RefusalFacts["step-stale"]): Next {
  if (elsewhere) {
    const none = "none of the open tasks is known to be yours";
    return { cli: `${none}; run \`holdfast next\``, mcp: `${none}; call workflow_status` };
  }
  if (open.length === 0) {
    return { cli: "no visit is open; run `holdfast status`", mcp: "no visit is open; call workflow_status" };
  }
  const advance = `then advance with the current token, ${joinWords(open, "or")}`;
  return { cli: `run \`holdfast next\`, ${advance}`, mcp: `call workflow_status, ${advance}` };
}

function howToApprove(d: RefusalFacts["approval-needed"]): string {
  return `\`holdfast approve${ofTask(d)}\` (or \`holdfast reject${ofTask(d)} --reason ...\`)`;
}

function meanwhile({ free: [task] = [] }: RefusalFacts["approval-needed"]): string {
  return task === undefined
    ? "stop"
    : `call workflow_status with task ${quote(task)} to work on that meanwhile, or stop`;
}

function indent(text: string): string {
  return text.trim() === "" ? "" : `\n${text.trimEnd().replace(/^/gm, "  | ")}`;
}
