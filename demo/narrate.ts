import type { RunEvent } from "../src/model/event.ts";

/** One event in a few words; null for events that a newcomer does not need to see. */
export function narrate(event: RunEvent): string | null {
  switch (event.type) {
    case "run-started":
      return `the run ${event.runId} starts`;
    case "tasks-set":
      return `the agent sets ${event.tasks.length} tasks: ${event.tasks.map((task) => task.title).join(", ")}`;
    case "visit-entered":
      return `the agent gets ${event.token}`;
    case "visit-ended":
      return `the agent finishes ${event.token}: "${event.output}"`;
    case "context-action-handed-out":
      return `before ${event.token} the agent is asked once to /${event.action} its conversation`;
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
  if (held) return `the gate passed: ${what}`;
  const reason = tail?.trim().split("\n").at(-1) ?? "";
  return `the gate FAILED: ${what} (${reason}); the run does not advance`;
}
