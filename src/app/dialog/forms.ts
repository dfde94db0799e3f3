import { failureVerdicts, reviewVerdicts } from "../../engine/verdicts.ts";
import { clip, manyLines, oneLine } from "../../handoff/data-text.ts";
import type { Form, FormField } from "../../operation/dialog.ts";
import type { Outcome } from "../../operation/operation.ts";
import { closesText } from "../runs/closed-tasks.ts";
import type { Submission } from "../runs/submission.ts";
import { nameOf, type Wait } from "./find-wait.ts";

/** A form is a small window: enough to decide on, the rest is in `holdfast status`. */
const longestText = 1_500;

/** The form for a wait. `again` is set if the last answer was not complete. */
export function formOf(wait: Wait, again: boolean): Form {
  const name = nameOf(wait);
  const where = placeOf(wait);
  switch (wait.type) {
    case "approval":
      return {
        name,
        message: lines(
          `${where}: the agent asks for your approval.`,
          ...(again ? ["Say what has to change: a rejection needs a reason."] : []),
          ...submissionOf(wait),
        ),
        fields: {
          decision: { title: "Decision", choices: ["approve", "reject"] },
          reason: { title: "Reason", description: "Needed to reject: what has to change", isOptional: true },
        },
      };
    case "question":
      return {
        name,
        message: lines(`${where}: the agent asks you:`, ...quoted("", wait.text)),
        fields: { answer: { title: "Answer" } },
      };
    case "review":
      return {
        name,
        message: lines(
          `${where}: ${wait.of === "run" ? "the budget of the whole run" : "its budget"} is spent (${wait.spent}). How does it continue?`,
          closing(wait, reviewVerdicts),
        ),
        fields: {
          verdict: { title: "Decision", choices: reviewVerdicts },
          reason: { title: "Feedback", description: "For the agent", isOptional: true },
        },
      };
    case "failure":
      return {
        name,
        message: lines(
          `${where}: it ${wait.why === "failed" ? "failed" : "was interrupted"}. How does the run continue?`,
          ...(again ? ["To go to a step, name it."] : []),
          closing(wait, failureVerdicts),
          ...quoted("What is known:", wait.reason),
        ),
        fields: {
          verdict: { title: "Decision", choices: failureVerdicts },
          step: { title: "Step", description: "Where go_to leads", choices: wait.steps, isOptional: true },
          reason: { title: "Reason", description: "For the agent", isOptional: true },
        },
      };
  }
}

/** The outcome decides where the run goes, so it is shown even without a text. */
function submissionOf({ submitted, outcome }: Submission): string[] {
  const chosen = outcome === undefined ? "" : `, with the outcome "${oneLine(outcome, 100)}"`;
  const text = quoted(`It submits${chosen}:`, submitted);
  return text.length > 0 || chosen === "" ? text : [`It submits no text${chosen}.`];
}

/** Of a task also its title: a person who is asked about several must see which one it is. */
function placeOf({ workflow, step, task }: Wait): string {
  const place = `${oneLine(workflow, 60)}, step ${oneLine(step, 60)}`;
  return task === undefined ? place : `${place}, task ${oneLine(task.id, 60)} "${oneLine(task.title, 120)}"`;
}

function closing({ closes }: Wait, verdicts: readonly string[]): string {
  return closes.length === 0 ? "" : `${oneLine(closesText(verdicts, closes), longestText)}.`;
}

/** Its name tells it from forms about runs, whose names begin with the id of the run. */
export const variablesPrefix = "start ";

/**
 * The form for the variables without which a workflow cannot start. A command is not asked for here: a person must see it
 * beside what else they trust, so they start the run themselves.
 */
export function variablesForm(outcome: Outcome<object>): Form | null {
  if (outcome.ok || outcome.refusal.code !== "variable-missing") return null;
  const { workflow, missing, about, commands } = outcome.refusal;
  if (commands.length > 0) return null;
  const fields = missing.map((name, at): [string, FormField] => [
    name,
    { title: name, description: oneLine(about[at] ?? "", 300) },
  ]);
  return {
    name: `${variablesPrefix}${workflow} ${missing.join(" ")}`,
    message: `The agent starts the workflow ${oneLine(workflow, 60)}, which needs this from you:`,
    fields: Object.fromEntries(fields),
  };
}

/** Whether the answer can be recorded as it is. */
export function isComplete(wait: Wait, values: Readonly<Record<string, string | undefined>>): boolean {
  const { fields } = formOf(wait, false);
  const filled = Object.entries(fields).every(([name, field]) => isFilled(field, values[name]));
  const isExplained = values.decision !== "reject" || isText(values.reason);
  return filled && isExplained && (values.verdict !== "go_to" || isText(values.step));
}

function isFilled({ choices, isOptional }: FormField, value = ""): boolean {
  if (isOptional === true && value === "") return true;
  return choices === undefined ? isOptional === true || isText(value) : choices.includes(value);
}

function isText(value = ""): boolean {
  return value.trim() !== "";
}

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** The agent's words, marked as such: they must not pass for ours. */
function quoted(lead: string, text: string | null): string[] {
  if (text === null || text.trim() === "") return [];
  return [lead, ...manyLines(clip(text, longestText)).map((line) => `> ${line}`)];
}
