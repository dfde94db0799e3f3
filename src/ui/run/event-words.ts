import type { VisitEvent } from "../../serve/contract/run-answers.ts";

// Events in words for a person. Types that are not named here are shown by their name, so a new one is never left out.

type Say = (event: Fields) => string;

interface Fields {
  text(name: string): string | null;
  number(name: string): number | null;
}

const words: Readonly<Record<string, Say>> = {
  "visit-entered": ({ number }) =>
    (number("number") ?? 1) > 1 ? `Entered again (visit ${number("number")})` : "Entered",
  "visit-claimed": () => "An agent took the task",
  "claim-lost": () => "The agent that had the task was lost",
  "claim-released": ({ text }) => by("The task was given back", text("by")),
  "visit-taken": () => "Another session took over",
  "instructions-taken": () => "The agent got its instructions",
  "visit-ended": ({ text }) => (text("outcome") === null ? "Ended" : `Ended: ${text("outcome")}`),
  "visit-failed": ({ text }) => (text("retry") === null ? "Failed" : "Failed, tried again"),
  "decision-requested": ({ text }) =>
    `A person has to decide: it ${text("why") === "failed" ? "failed" : "was interrupted"}`,
  "failure-decided": ({ text }) => by(`Decided: ${text("verdict")}${to(text("to"))}`, text("by")),
  "visit-closed": ({ text }) => `Closed: ${text("reason")}`,
  "context-action-handed-out": ({ text }) => `The agent was asked for /${text("action")}`,
  "context-action-observed": ({ text }) => `/${text("action")} was seen`,
  "context-action-skipped": ({ text }) => `The agent went on without /${text("action")}`,
  "command-started": () => "The command was started",
  "command-interrupted": () => "The command was interrupted",
  "command-ended": () => "The command ended",
  "gates-started": () => "Gates are being checked",
  "gates-interrupted": () => "The check of the gates was interrupted",
  "gates-checked": ({ text }) => (text("purpose") === "until" ? "Checked whether it is done" : "Gates were checked"),
  "approval-requested": () => "Approval was asked for",
  "approval-given": ({ text }) => by("Approved", text("by")),
  "approval-refused": ({ text }) => by("Rejected", text("by")),
  "usage-recorded": ({ number }) => usage(number("tokens"), number("cost"), number("turns")),
  "budget-counted": ({ number }) => usage(number("tokens"), null, number("turns")),
  "review-opened": ({ text }) => `A budget is spent: ${text("spent")}`,
  "review-decided": ({ text }) => by(`Decided: ${text("verdict")}`, text("by")),
  "question-asked": () => "The agent asked a question",
  "question-answered": ({ text }) => by("Answered", text("by")),
  "question-withdrawn": ({ text }) => by("The question was withdrawn", text("by")),
  "todo-updated": ({ number }) => `Todo list: ${number("done")} of ${number("items")} done`,
  "session-started": ({ text }) => `A session of ${text("host")} began`,
  "session-ended": ({ text }) => `The session ended: ${text("reason")}`,
  "compaction-began": ({ text }) => `The context is compacted (${text("trigger")})`,
  "compaction-ended": () => "The context was compacted",
  "artifacts-loaded": () => "Artifacts were loaded into the context",
  "attempt-began": ({ text }) => `${text("agent") ?? "The agent"} began an attempt`,
  "attempt-lost": () => "The attempt was lost",
  "agent-told": ({ text }) => by("The agent was told something", text("by")),
  "run-paused": ({ text }) => by("Paused", text("by")),
  "run-resumed": ({ text }) => by("Resumed", text("by")),
  "run-redirected": ({ text }) => by(`Moved to ${text("to")}`, text("by")),
  "run-reopened": ({ text }) => by("Reopened", text("by")),
  "run-completed": () => "The run is complete",
  "run-failed": () => "The run failed",
  "run-aborted": ({ text }) => by("Aborted", text("by")),
};

export function eventWords(event: VisitEvent): string {
  const say = Object.hasOwn(words, event.type) ? words[event.type] : undefined;
  if (say !== undefined) return say(fieldsOf(event));
  const plain = event.type.replaceAll("-", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const longNames: Readonly<Record<string, string>> = {
  output: "Output",
  reason: "Reason",
  question: "Question",
  answer: "Answer",
  feedback: "Feedback",
  text: "Text",
  tail: "What it printed",
};

/** The texts of an event that people wrote or agents answered. */
export function longTexts(event: VisitEvent): readonly { readonly name: string; readonly text: string }[] {
  const { text } = fieldsOf(event);
  const isSaid = event.type === "visit-closed" || event.type === "session-ended";
  return Object.entries(longNames).flatMap(([field, name]) => {
    const found = text(field);
    return found === null || found.trim() === "" || isSaid ? [] : [{ name, text: found }];
  });
}

export interface Check {
  readonly name: string;
  readonly isHeld: boolean;
  readonly tail: string;
}

/** The results of the gates, or of the command, that an event tells. */
export function checksIn({ evidence }: VisitEvent): readonly Check[] {
  const all: readonly unknown[] = Array.isArray(evidence) ? evidence : evidence === undefined ? [] : [evidence];
  return all.flatMap((each) => {
    if (typeof each !== "object" || each === null || !("held" in each)) return [];
    const name = "what" in each ? String(each.what) : "check";
    const tail = "tail" in each ? String(each.tail) : "";
    return [{ name, isHeld: each.held === true, tail }];
  });
}

function fieldsOf(event: VisitEvent): Fields {
  return {
    text(name) {
      const value = event[name];
      return typeof value === "string" ? value : null;
    },
    number(name) {
      const value = event[name];
      return typeof value === "number" ? value : null;
    },
  };
}

function by(what: string, who: string | null): string {
  return who === null ? what : `${what} by ${who}`;
}

function to(step: string | null): string {
  return step === null ? "" : ` ${step}`;
}

function usage(tokens: number | null, cost: number | null, turns: number | null): string {
  const parts = [
    turns !== null && `${turns} ${turns === 1 ? "turn" : "turns"}`,
    tokens !== null && `${tokens.toLocaleString("en")} tokens`,
    cost !== null && `$${cost.toFixed(cost < 1 ? 3 : 2)}`,
  ];
  return `Used ${parts.filter(Boolean).join(", ")}`;
}
