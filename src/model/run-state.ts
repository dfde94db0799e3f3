import type { Question } from "./carry.ts";
import type { Gate } from "./gate.ts";
import type { LiveRun, Run, Visit } from "./run.ts";

/** In a file without schemas, so that hooks can ask this without loading zod. */
export function isLive(run: Run): run is LiveRun {
  return run.status === "running" || run.status === "waiting" || run.status === "review" || run.status === "paused";
}

/** The visit of a session, otherwise the first open one. */
export function visitOfSession({ seats, visits }: LiveRun, session: string | undefined): Visit | null {
  const token = seats.find((seat) => seat.session === session)?.token;
  return visits.find((visit) => visit.token === token) ?? visits[0] ?? null;
}

/** Whether an approval was requested and has not been given on this machine. */
export function waitsForApproval({ approval }: Pick<Visit, "approval">): boolean {
  return approval === "requested" || approval === "foreign";
}

/** What a person said about the work of the visit; a failure that is noted later does not replace it. */
export function personsWord({ note, said }: Pick<Visit, "note" | "said">): Visit["note"] {
  const isFailure = note === null || ["failure", "gate", "failed-step"].includes(note.from);
  return isFailure ? (said ?? null) : note;
}

/** The process that checks the visit's gates or runs its command, and since when; null if there is none. */
export function processOf({ checking, command }: Pick<Visit, "checking" | "command">): Visit["checking"] {
  return checking ?? (command === undefined ? null : { runner: command.runner, since: command.since });
}

/** Who approved the visit on this machine, and what they said; null if it is not approved. */
export function approvalOf({
  approval,
  approved,
}: Pick<Visit, "approval" | "approved">): NonNullable<Visit["approved"]> | null {
  return approval === "given" ? (approved ?? { by: "a person", text: null }) : null;
}

/** Whether the visit's context action was asked for, and its instructions have not been given since. */
export function isActionOpen<V extends Pick<Visit, "action" | "untaken">>(
  visit: V,
): visit is V & { readonly action: NonNullable<Visit["action"]> } {
  return visit.untaken === true && visit.action?.status === "handed-out";
}

/** Not in the file of the gate schema, because hooks use it and must not load zod. */
export function isApproval(gate: Gate): gate is Extract<Gate, { approval: unknown }> {
  return "approval" in gate;
}

/** The open question of a visit. */
export function openQuestion({ questions }: Pick<LiveRun, "questions">, token: string): Question | null {
  return questions.find((each) => each.token === token && each.answer === null) ?? null;
}
