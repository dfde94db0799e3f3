import { openTasksOf } from "../../engine/view/open-tasks.ts";
import type { RunEvent } from "../../model/event.ts";
import { quote } from "../../model/quote.ts";
import type { StartedRun } from "../../model/run.ts";
import { claimIn } from "../../model/run-state.ts";

/** The other tasks that agents have claimed, also those that wait for a person: what leaves the loop closes them. */
export function claimedBeside(run: StartedRun, token: string): string[] {
  const others = openTasksOf(run).filter((task) => task.session !== undefined && task.token !== token);
  return others.map(({ id }) => id);
}

/** Beside a decision that is due: which of the choices close the tasks of other agents. */
export function closesText(verdicts: readonly string[], closes: readonly string[]): string {
  const leaving = verdicts.filter((verdict) => ["go_to", "pivot", "abandon"].includes(verdict));
  return `${leaving.join(" and ")} also close ${closes.map(quote).join(", ")}, which agents have claimed`;
}

/** After a decision: names the tasks that it took from their agents, because only the person can tell these to stop. */
export function closedWarning(events: readonly RunEvent[]): { readonly warning?: string } {
  const tasks = events.flatMap((event) => {
    // A pivot closes the visit that it is about, too; nobody works on that one.
    const isTaken = event.type === "visit-closed" && event.reason !== "pivot" && claimIn(event.token) !== null;
    return isTaken && event.place.type === "sub-step" ? [quote(event.place.task)] : [];
  });
  if (tasks.length === 0) return {};
  const warning = `this closed ${tasks.join(", ")}; agents have claimed that, and what they send for it is refused`;
  return { warning };
}
