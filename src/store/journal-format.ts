import type { EventType, RunEvent } from "../model/event.ts";

/** The newest format of a journal line that this version reads and writes. */
export const newestFormat = 2;

/**
 * The first version of Holdfast that reads a format. A line names it, so that a program which is too old for the line can
 * say which version it needs.
 */
export const neededVersion = "0.1.0";

/**
 * The event types that came with format 2, as did the field `via`. A line gets the oldest format that can hold its events,
 * so a run that uses none of them stays readable by programs that know only format 1.
 */
const sinceFormat2: ReadonlySet<EventType> = new Set<EventType>([
  ...(["step-skipped", "decision-requested", "failure-decided", "failure-routed", "run-reopened"] as const),
  ...(["command-started", "command-interrupted", "command-ended"] as const),
]);

export function formatFor(events: readonly RunEvent[]): number {
  return events.some(needsFormat2) ? 2 : 1;
}

/** A visit to a command has a place that format 1 does not know. */
function needsFormat2(event: RunEvent): boolean {
  return sinceFormat2.has(event.type) || "via" in event || ("place" in event && event.place.type === "command");
}
