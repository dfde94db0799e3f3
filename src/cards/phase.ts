export interface CardPhase {
  readonly current: number;
  readonly total: number;
  readonly name: string;
  readonly status: "not_started" | "in_progress" | "completed" | "blocked";
}

/** `4/10 - Name`, also with another dash, a colon or no name at all; null when it is nothing like that. */
export function readPhase(text: string): Omit<CardPhase, "status"> | null {
  const found = /^(\d{1,6})\s*(?:\/|of)\s*(\d{1,6})(?!\w)\s*[-\u2013\u2014:]*(.*)$/iu.exec(
    text.replace(/[*`]/g, "").trim(),
  );
  if (found === null) return null;
  const [, current, total, name = ""] = found;
  return { current: Number(current), total: Number(total), name: name.trim() };
}

const statuses: ReadonlyMap<string, CardPhase["status"]> = new Map([
  ["not started", "not_started"],
  ["pending", "not_started"],
  ["in progress", "in_progress"],
  ["active", "in_progress"],
  ["completed", "completed"],
  ["complete", "completed"],
  ["done", "completed"],
  ["blocked", "blocked"],
]);

/** The status that a word stands for, whatever sign is before it: `🔄 In Progress`. */
export function readStatus(text: string): CardPhase["status"] | null {
  return statuses.get(wordsOf(text)) ?? null;
}

/** A workflow that was given up has no phase to go back to. */
export function isGivenUp(status: string): boolean {
  return /^(?:cancell?ed|aborted|abandoned)$/.test(wordsOf(status));
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}

/** Where a workflow stands whose text names no phase. */
export function defaultPhase(workflow: string): CardPhase {
  return { current: 1, total: 1, name: workflow, status: "in_progress" };
}

export function isDefaultPhase(phase: CardPhase, workflow: string): boolean {
  return phase.current === 1 && phase.total === 1 && phase.name === workflow && phase.status === "in_progress";
}

/** A completed phase ends the workflow only when it is the last one. */
export function isOver({ current, total, status }: CardPhase): boolean {
  return status === "completed" && current >= total;
}

/** What is odd about a phase that is kept as it was written. */
export function phaseWarning({ current, total }: Pick<CardPhase, "current" | "total">): string | null {
  return current > total ? `phase ${current} of ${total} is past the end` : null;
}
