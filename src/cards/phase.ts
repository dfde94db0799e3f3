export interface CardPhase {
  readonly current: number;
  readonly total: number;
  readonly name: string;
  readonly status: "not_started" | "in_progress" | "completed" | "blocked";
}

/** Parses `4/10 - Name`, also with another dash, a colon or no name; null if it has no such form. */
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

/** The status that a text names, ignoring emoji and punctuation: `🔄 In Progress`. */
export function readStatus(text: string): CardPhase["status"] | null {
  return statuses.get(normalizeWords(text)) ?? null;
}

/** Whether a status says that the workflow was cancelled, so that there is nothing to continue. */
export function isCancelled(status: string): boolean {
  return /^(?:cancell?ed|aborted|abandoned)$/.test(normalizeWords(status));
}

function normalizeWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ")
    .trim();
}

/** The phase of a workflow whose text names none. */
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

/** A warning about a phase that is inconsistent, but kept as it was written. */
export function phaseWarning({ current, total }: Pick<CardPhase, "current" | "total">): string | null {
  return current > total ? `phase ${current} of ${total} is past the end` : null;
}
