import type { Command, CommandType } from "../../model/command.ts";
import type { Run } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { advance, repeated } from "./advance.ts";
import { approve, reject, reportGates, requestApproval, startGates } from "./approval.ts";
import { claim, release } from "./claims.ts";
import { endCommand, startCommand } from "./command-steps.ts";
import { handOut } from "./context-actions.ts";
import { type CommandHandler, type Decision, type Outputs, refuse } from "./decision.ts";
import { driving } from "./driving.ts";
import { decideFailure, reopen } from "./failure-decisions.ts";
import { notices } from "./notices.ts";
import { abort, adopt, goTo, pause, resume } from "./person-commands.ts";
import { answer, ask, withdraw } from "./questions.ts";
import { setSummary, updateTodo } from "./records.ts";
import { openReview, review } from "./review.ts";
import { start } from "./start.ts";
import { setTasks } from "./tasks.ts";

/**
 * Decides what a command does to a run: events, or a refusal. Pure: time is an argument, and so are the outputs that the
 * template's conditions read (`outputsRead`).
 */
export function decide(template: Template, run: Run, command: Command, at: string, outputs: Outputs = {}): Decision {
  if (command.type === "start") return start(template, run, command, at);
  if (run.status === "absent") return refuse({ code: "run-absent" });
  const again = command.type === "advance" ? repeated(run, command) : null;
  if (again !== null) return again;
  if (command.type === "reopen") return reopen(template, run, command, at, outputs);
  if (!isLive(run)) {
    return refuse({ code: "run-ended", status: run.status, outputIgnored: command.type === "advance" });
  }
  // TypeScript cannot see that the entry for `command.type` takes exactly this command.
  const handler = handlers[command.type] as CommandHandler<CommandType>;
  return handler({ template, run, at, outputs }, command);
}

const handlers: { readonly [T in Exclude<CommandType, "start" | "reopen">]: CommandHandler<T> } = {
  advance,
  claim,
  release,
  "hand-out": handOut,
  "set-tasks": setTasks,
  "start-gates": startGates,
  "report-gates": reportGates,
  "start-command": startCommand,
  "end-command": endCommand,
  "request-approval": requestApproval,
  approve,
  reject,
  ask,
  answer,
  withdraw,
  "update-todo": updateTodo,
  "open-review": openReview,
  review,
  decide: decideFailure,
  "set-summary": setSummary,
  pause,
  resume,
  abort,
  goto: goTo,
  adopt,
  ...driving,
  ...notices,
};
