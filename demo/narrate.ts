import type { RunEvent } from "../src/model/event.ts";

/** What happened, in a few words; null for what a newcomer need not see. */
export function narrate(event: RunEvent): string | null {
  switch (event.type) {
    case "run-started":
      return `the run ${event.runId} begins`;
    case "tasks-set":
      return `the agent sets ${event.tasks.length} tasks: ${event.tasks.map((task) => task.title).join(", ")}`;
    case "visit-entered":
      return `it is given ${event.token}`;
    case "visit-ended":
      return `it ends ${event.token}: "${event.output}"`;
    case "context-action-handed-out":
      return `before ${event.token} it is asked to /${event.action} its conversation, once`;
    case "gates-checked":
      return event.evidence.map(gateText).join("; ");
    case "task-ended":
      return `task ${event.task} is ${event.status}`;
    case "run-completed":
      return "the run is complete";
    default:
      return null;
  }
}

function gateText({ what, held, tail }: { what: string; held: boolean; tail?: string | undefined }): string {
  if (held) return `the gate holds: ${what}`;
  const reason = tail?.trim().split("\n").at(-1) ?? "";
  return `the gate FAILS: ${what} (${reason}); the run does not move`;
}
