import type { Deps, Outcome } from "../../operation/operation.ts";
import { answerQuestion } from "../commands/ask-question.ts";
import { decideRun } from "../commands/decide-run.ts";
import { approve, reject } from "../commands/person-commands.ts";
import type { Wait } from "./find-wait.ts";

/** Records what the person has answered in the dialog, as their decision. */
export function recordAnswer(
  deps: Deps,
  wait: Wait,
  values: Readonly<Record<string, string | undefined>>,
): Promise<Outcome<object>> {
  const person = { ...deps, caller: { ...deps.caller, answersInDialog: true as const } };
  const { runId: run, token } = wait;
  const reason = values.reason?.trim() || undefined;
  switch (wait.type) {
    case "approval":
      return values.decision === "approve"
        ? approve.run(person, { run, token, asked: wait.asked, reason })
        : reject.run(person, { run, token, asked: wait.asked, reason: reason ?? "" });
    case "question":
      return answerQuestion.run(person, { run, question: wait.id, answer: values.answer ?? "" });
    case "review":
    case "failure":
      return decideRun.run(person, {
        run,
        token,
        // The form has no other choices, and `isComplete` has checked that it is one of them.
        verdict: values.verdict as Parameters<typeof decideRun.run>[1]["verdict"],
        step: values.verdict === "go_to" ? values.step : undefined,
        reason,
      });
  }
}
