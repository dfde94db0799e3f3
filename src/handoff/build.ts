import { clip, oneLine } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import {
  contextSection,
  doneSection,
  feedbackSection,
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

/**
 * The text that puts an agent back on its run. Over the limit the least important parts shrink to pointers;
 * who the run is, where it goes on and what must be read always stay.
 */
export function buildHandoff(facts: HandoffFacts, frame: HandoffFrame): string {
  const { file } = frame;
  // In the order in which they give way.
  const sections = {
    notes: noteSection(facts),
    others: otherSection(facts),
    done: doneSection(facts, file),
    context: contextSection(facts, file),
    reminders: reminderSection(facts, file),
    feedback: feedbackSection(facts, file),
  };
  const chosen: Record<keyof typeof sections, number> = {
    notes: 0,
    others: 0,
    done: 0,
    context: 0,
    reminders: 0,
    feedback: 0,
  };
  const form = (name: keyof typeof sections) => sections[name].forms[chosen[name]] ?? "";
  const compose = () =>
    [
      opening(facts, frame),
      identity(facts),
      form("done"),
      hereSection(facts),
      readingSection(facts, file),
      form("reminders"),
      form("context"),
      form("feedback"),
      actions(facts),
      form("others"),
      form("notes"),
    ]
      .filter((part) => part !== "")
      .join("\n\n");

  let text = compose();
  for (const [name, shorter] of reductions(sections)) {
    if (fits(text, frame)) break;
    chosen[name] = shorter;
    text = compose();
  }
  return `${fits(text, frame) ? text : cutToFit(text, frame)}${closing}`;
}

const closing = "\n</holdfast>\n";

function fits(text: string, { limit, weigh }: HandoffFrame): boolean {
  const whole = text + closing;
  return (weigh === "tokens" ? estimateTokens(whole) : whole.length) <= limit;
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

/** Letters of our alphabet share a token with others; those of most other scripts may take one or two alone. */
function estimateTokens(text: string): number {
  const plain = text.replace(/[^\x20-\x7e\n]/gu, "").length;
  return Math.ceil(plain / 3.2 + ([...text].length - plain) * 1.5);
}

/** Each section gives way once before any gives way twice. */
function reductions<N extends string>(sections: Readonly<Record<N, Section>>): [N, number][] {
  const names = Object.keys(sections) as N[];
  const deepest = Math.max(...names.map((name) => sections[name].forms.length));
  return Array.from({ length: deepest - 1 }, (_, index) => index + 1).flatMap((shorter) =>
    names.filter((name) => shorter < sections[name].forms.length).map((name): [N, number] => [name, shorter]),
  );
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
