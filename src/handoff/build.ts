import { asOfText, awayText } from "../model/time.ts";
import { clip, oneLine } from "./data-text.ts";
import { charactersPerToken, estimateTokens } from "./estimate-tokens.ts";
import type { HandoffFacts } from "./facts.ts";
import {
  answersSection,
  carriedSection,
  contextSection,
  doneSection,
  feedbackSection,
  hereSection,
  identity,
  noteSection,
  otherSection,
  outputSection,
  phaseText,
  readingSection,
  reminderSection,
  requestSection,
  type Section,
  todoSection,
} from "./sections.ts";

export interface HandoffFrame {
  /** Identifies the context loss that this handoff repairs, so that it is sent only once. */
  readonly id: string;
  /** What happened: compact, clear, resume, ... */
  readonly reason: string;
  /** The host's size limit. Tokens are estimated on the high side. */
  readonly limit: number;
  readonly unit: "characters" | "tokens";
  /** The file with the full text, relative to the project, for when it does not fit. */
  readonly file: string | null;
}

/** The sections that shrink first, in each round in this order. */
const shrinkOrder = [
  "notes",
  "others",
  "done",
  "request",
  "output",
  "carried",
  "context",
  "answers",
  "reminders",
  "feedback",
  "todo",
] as const;
const essential = ["here", "reading"] as const;
type Name = (typeof shrinkOrder)[number] | (typeof essential)[number];

/**
 * Builds the text that puts an agent back on its run. Over the limit, the least important sections shrink to pointers;
 * the run's identity, the current step and the required reading shrink last.
 */
export function buildHandoff(facts: HandoffFacts, frame: HandoffFrame): string {
  const { file } = frame;
  const sections: Readonly<Record<Name, Section>> = {
    notes: noteSection(facts),
    others: otherSection(facts),
    request: requestSection(facts),
    done: doneSection(facts, file),
    output: outputSection(facts),
    context: contextSection(facts, file),
    reminders: reminderSection(facts, file),
    feedback: feedbackSection(facts, file),
    carried: carriedSection(facts),
    answers: answersSection(facts, file),
    todo: todoSection(facts),
    here: hereSection(facts, file),
    reading: readingSection(facts, file),
  };
  const chosen = new Map<Name, number>();
  const form = (name: Name) => sections[name].forms[chosen.get(name) ?? 0] ?? "";
  const compose = () =>
    [
      opening(facts, frame),
      identity(facts),
      form("request"),
      form("done"),
      form("output"),
      form("here"),
      form("reading"),
      form("reminders"),
      form("context"),
      form("carried"),
      form("feedback"),
      form("answers"),
      form("todo"),
      actions(facts),
      form("others"),
      form("notes"),
    ]
      .filter((part) => part !== "")
      .join("\n\n");

  let text = compose();
  for (const [name, shorter] of reductions(sections)) {
    if (fits(text, frame)) break;
    chosen.set(name, shorter);
    text = compose();
  }
  return `${fits(text, frame) ? text : cutToFit(text, frame)}${closing}`;
}

const closing = "\n</holdfast>\n";

function fits(text: string, { limit, unit }: HandoffFrame): boolean {
  const whole = text + closing;
  if (unit === "characters") return whole.length <= limit;
  // Skip the costlier estimate for a text that is far too long.
  return whole.length / charactersPerToken <= limit && estimateTokens(whole) <= limit;
}

/** The last resort, when even the shortest forms are too long: the end goes. */
function cutToFit(text: string, frame: HandoffFrame): string {
  let [short, length] = [text, [...text].length];
  while (!fits(short, frame) && length > 1) {
    length = Math.floor(length * 0.9);
    short = clip(text, length);
  }
  return short;
}

/**
 * First the remarks, and long texts down to their ends. Then each of the less important sections shrinks once before any
 * shrinks twice; at last the essential ones, one by one.
 */
function reductions(sections: Readonly<Record<Name, Section>>): [Name, number][] {
  const shorter = (name: Name) => sections[name].forms.slice(1).map((_, index): [Name, number] => [name, index + 1]);
  const isCheap = ([name, form]: [Name, number]) => remarks.includes(name) || form <= (sections[name].cheap ?? 0);
  const rounds = shrinkOrder.flatMap(shorter).sort(([, a], [, b]) => a - b);
  const all = [...rounds, ...essential.flatMap(shorter)];
  return [...all.filter(isCheap), ...all.filter((one) => !isCheap(one))];
}

const remarks: readonly Name[] = ["notes", "others"];

/** Hosts do not tell whose context was lost, so a subagent may read what is meant for the agent that started it. */
const notForSubagents =
  "  This is for the main agent. If you are a subagent, ignore it and go on with the task you were given.";

function opening({ runId, workflow, updatedAt, copy }: HandoffFacts, { id, reason }: HandoffFrame): string {
  const name = oneLine(runId ?? workflow, 100).replaceAll('"', "'");
  const attributes = `run="${name}" at="${oneLine(updatedAt, 40)}" reason="${oneLine(reason, 40)}" id="${id}"`;
  const stale = copy === undefined ? "" : `\nThis is ${asOfText(copy.asOf)}: ${awayText(copy.isSilent)}.`;
  return `<holdfast ${attributes}>\nYou are in the middle of a workflow. It continues where it left off; do not start over.${stale}`;
}

function actions(facts: HandoffFacts): string {
  const { requiredReading, runId, workflow, phase } = facts;
  const then = runId === null ? "Then" : `Call workflow_status (run_id ${oneLine(runId, 100)}), then`;
  const steps = [
    ...(requiredReading.length > 0 ? ["Read the files listed above that are no longer in your context."] : []),
    `Say: "✅ Workflow restored: ${oneLine(workflow, 100)}, Phase ${phase.current}/${phase.total}".`,
    next(facts, then),
    "Make no assumptions: anything not listed as done is not done.",
  ];
  return ["ACTION REQUIRED", notForSubagents, ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join("\n");
}

function next(facts: HandoffFacts, then: string): string {
  const { here, tasks } = facts;
  if (here !== null)
    return `${then} ${here.waiting === null ? "continue with the step above" : "wait as stated above"}.`;
  if (tasks === null) return `${then} continue with phase ${phaseText(facts)}.`;
  if (tasks.own.length === 0) return "Take a task as stated above, if you are to work on this loop.";
  return "Continue with your tasks above; subagents that work on them need nothing from you.";
}
