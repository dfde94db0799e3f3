import { clip, oneLine } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import { answersSection, carriedSection, feedbackSection, todoSection } from "./kept-sections.ts";
import {
  contextSection,
  doneSection,
  hereSection,
  identity,
  noteSection,
  otherSection,
  phaseText,
  readingSection,
  reminderSection,
  type Section,
} from "./sections.ts";

export interface HandoffFrame {
  /** Which loss of context this makes good: the same one is never told twice. */
  readonly id: string;
  /** What happened: compact, clear, resume. */
  readonly reason: string;
  /** The most that the host lets through, in characters or in tokens, which are estimated with some room to spare. */
  readonly limit: number;
  readonly weigh: "characters" | "tokens";
  /** Where the whole text can be read when it does not fit, relative to the project. */
  readonly file: string | null;
}

/** In the order in which they give way. */
const lesser = ["notes", "others", "done", "carried", "context", "answers", "reminders", "feedback", "todo"] as const;
const greater = ["here", "reading"] as const;
type Name = (typeof lesser)[number] | (typeof greater)[number];

/**
 * The text that puts an agent back on its run. Over the limit the least important parts shrink to pointers;
 * who the run is, where it goes on and what must be read always stay.
 */
export function buildHandoff(facts: HandoffFacts, frame: HandoffFrame): string {
  const { file } = frame;
  const sections: Readonly<Record<Name, Section>> = {
    notes: noteSection(facts),
    others: otherSection(facts),
    done: doneSection(facts, file),
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
      form("done"),
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

function fits(text: string, { limit, weigh }: HandoffFrame): boolean {
  const whole = text + closing;
  if (weigh === "characters") return whole.length <= limit;
  // What is far too long needs no closer look.
  return whole.length / lettersPerToken <= limit && estimateTokens(whole) <= limit;
}

/** Only what nobody writes on purpose comes here: parts that never shrink, and are too long all the same. */
function cutToFit(text: string, frame: HandoffFrame): string {
  let [short, length] = [text, [...text].length];
  while (!fits(short, frame) && length > 1) {
    length = Math.floor(length * 0.9);
    short = clip(text, length);
  }
  return short;
}

const lettersPerToken = 3.2;

/** Letters of our alphabet share a token with others; those of most other scripts may take one or two alone. */
function estimateTokens(text: string): number {
  const plain = text.replace(/[^\x20-\x7e\n]/gu, "").length;
  return Math.ceil(plain / lettersPerToken + ([...text].length - plain) * 1.5);
}

/** Each of the lesser ones gives way once before any gives way twice; the others one after the other. */
function reductions(sections: Readonly<Record<Name, Section>>): [Name, number][] {
  const shorter = (name: Name) => sections[name].forms.slice(1).map((_, index): [Name, number] => [name, index + 1]);
  const byRound = lesser.flatMap(shorter).sort(([, a], [, b]) => a - b);
  return [...byRound, ...greater.flatMap(shorter)];
}

function opening({ runId, workflow, updatedAt }: HandoffFacts, { id, reason }: HandoffFrame): string {
  const name = oneLine(runId ?? workflow, 100).replaceAll('"', "'");
  const attributes = `run="${name}" at="${oneLine(updatedAt, 40)}" reason="${oneLine(reason, 40)}" id="${id}"`;
  return `<holdfast ${attributes}>\nYou are in the middle of a workflow. It continues where it was; nothing below starts over.`;
}

function actions(facts: HandoffFacts): string {
  const { requiredReading, here, runId, workflow, phase } = facts;
  const status = runId === null ? "" : `Call workflow_status (run_id ${oneLine(runId, 100)}), then go`;
  const steps = [
    ...(requiredReading.length > 0 ? ["Read the files listed above that you do not have before you any more."] : []),
    `Say: "✅ Workflow restored: ${oneLine(workflow, 100)}, Phase ${phase.current}/${phase.total}".`,
    here === null
      ? `${status || "Go"} on with phase ${phaseText(facts)}.`
      : `${status || "Go"} on from here: ${here.waiting === null ? "the step above" : "wait as said above"}.`,
    "Make no assumptions about what was done: what is not listed as done is not done.",
  ];
  return ["ACTION REQUIRED", ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join("\n");
}
