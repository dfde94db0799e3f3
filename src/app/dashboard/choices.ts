import { placesOf } from "../../engine/commands/approval.ts";
import { continuations } from "../../engine/commands/review.ts";
import { stepSettings } from "../../engine/step-settings.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { openQuestion } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { ApprovalPlace } from "../../model/visit-rules.ts";
import { longest } from "../../operation/non-blank-text.ts";
import type { Choice } from "../../serve/contract/contract.ts";
import type { PersonWait } from "../runs/person-wait.ts";

// Keys are one letter. Those of the page are not among them, nor those that follow its `g`: whoever goes to another screen and is
// slow decides nothing. The r of "Reject" only opens a form. What takes something away has the x, and is confirmed.

/** What can be decided about a visit, where the person is. All of it is accepted as long as the visit waits for it. */
export function choicesFor(
  template: Template,
  run: LiveRun,
  visit: Visit,
  wait: PersonWait["type"],
  where: ApprovalPlace,
): Choice[] {
  const about = { run: run.runId, token: visit.token };
  switch (wait) {
    case "approval": {
      const asking = { ...about, ...(visit.asked !== undefined && { asked: visit.asked }) };
      const mayApprove = placesOf(stepSettings(template, visit.place)?.gates ?? []).includes(where);
      return [
        ...(mayApprove ? [choice("a", "Approve", "approve", asking, optional("reason", "Comment"))] : []),
        choice("r", "Reject", "reject", asking, needed("reason", "What has to change")),
      ];
    }
    case "answer": {
      const question = { run: run.runId, question: openQuestion(run, visit.token)?.id };
      return [
        choice("a", "Answer", "answer", question, needed("answer", "Answer", longest.answer)),
        {
          ...choice("x", "Withdraw the question", "withdraw", question, null),
          warning: "The agent goes on without an answer.",
        },
      ];
    }
    case "review":
      return reviewChoices(run, visit, about);
    case "decision":
      return failureChoices(template, about);
    case "resume":
    case "context-action":
      return [];
  }
}

export function pausedChoices({ runId }: LiveRun): Choice[] {
  return [
    choice("u", "Resume", "resume", { run: runId }, null),
    { ...choice("x", "Abort", "abort", { run: runId, yes: true }, optional("reason", "Why")), warning: endsRun },
  ];
}

const endsRun = "This ends the run. Its journal stays, and you can reopen it.";

type About = Readonly<Record<string, unknown>>;

function reviewChoices(run: LiveRun, visit: Visit, about: About): Choice[] {
  const { continues = 0 } = (visit.reviewOf === "run" ? run.spending : visit.spending) ?? {};
  const verdict = (key: string, label: string, name: string) =>
    choice(key, label, "decide", { ...about, verdict: name }, optional("feedback", "Feedback for the agent"));
  return [
    ...(continues < continuations.most ? [verdict("b", "Continue with a new budget", "continue")] : []),
    verdict("p", "Pivot: make a new plan", "pivot"),
    verdict("e", "Escalate: pause for somebody else", "escalate"),
    { ...verdict("x", "Abandon the run", "abandon"), warning: endsRun },
  ];
}

function failureChoices({ steps }: Template, about: About): Choice[] {
  const verdict = (key: string, label: string, name: string, text: Choice["text"]) =>
    choice(key, label, "decide", { ...about, verdict: name }, text);
  const why = optional("reason", "For the agent");
  return [
    verdict("t", "Try again", "retry", why),
    verdict("s", "Skip it", "skip", why),
    verdict("m", "Go to a step", "go_to", { ...needed("step", "Step"), options: steps.map(({ id }) => id) }),
    { ...verdict("x", "Abandon the run", "abandon", why), warning: endsRun },
  ];
}

function choice(key: string, label: string, operation: string, input: About, text: Choice["text"]): Choice {
  return { key, label, operation, input, text, warning: null };
}

function optional(name: string, label: string) {
  return { name, label, isNeeded: false, longest: longest.reason };
}

function needed(name: string, label: string, most: number = longest.reason) {
  return { name, label, isNeeded: true, longest: most };
}
