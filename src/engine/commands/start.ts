import type { Run } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { cleanSummary } from "../../model/truncate.ts";
import { defaultsOf } from "../../model/variables/declared.ts";
import { accept, type CommandOf, createEventDraft, type Decision, refuse } from "./decision.ts";
import { enterStep } from "./move.ts";

export function start(template: Template, run: Run, command: CommandOf<"start">, at: string): Decision {
  if (run.status !== "absent") return refuse({ code: "run-exists", runId: run.runId });
  const draft = createEventDraft(run, at);
  draft.record({
    type: "run-started",
    runId: command.runId,
    workflow: template.name,
    workflowType: template.type ?? "custom",
    worktree: command.worktree ?? null,
    templateHash: command.templateHash,
    ...requestWords(command),
    variables: { ...defaultsOf(template), ...command.variables },
  });
  // The clock of a budget for the whole run starts with the first record of what was used.
  if (template.budget !== undefined) draft.record({ type: "usage-recorded", turns: 0 });
  const [first] = template.steps;
  if (first === undefined) throw new Error(`the template "${template.name}" has no steps`);
  const move = { template, draft, outputs: {}, session: command.session, unread: command.unread };
  enterStep(move, first, { from: null });
  return accept(draft);
}

/** The summary for display, and the whole request where it says more than that. */
export function requestWords({ summary, request }: Pick<CommandOf<"start">, "summary" | "request">): {
  summary: string | null;
  request?: string;
} {
  const whole = request?.trim() || summary?.trim() || "";
  const shown = cleanSummary(summary ?? "") ?? cleanSummary(whole.split("\n", 1)[0] ?? "");
  return { summary: shown, ...(whole !== "" && whole !== shown && { request: whole }) };
}
