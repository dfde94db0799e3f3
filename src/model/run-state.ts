import type { Gate } from "./gate.ts";
import type { Place } from "./place.ts";
import type { LiveRun, Question, Run, StartedRun, Visit } from "./run.ts";

/** In a file without schemas, so that hooks can ask this without loading zod. */
export function isLive(run: Run): run is LiveRun {
  return run.status === "running" || run.status === "waiting" || run.status === "review" || run.status === "paused";
}

/**
 * The visit that a session works on. In a loop with `parallel` that is its claim: null if it has none, or several among which it
 * must choose. Elsewhere it is the visit that the session was given, otherwise the open one.
 */
export function visitOfSession(run: LiveRun, session: string | undefined): Visit | null {
  const { seats, visits } = run;
  const own = claimsOf(run, session);
  if (own.length > 0) return chosenOf(run, own);
  const token = seats.find((seat) => seat.session === session)?.token;
  const shared = visits.filter(({ claim }) => claim === undefined);
  return shared.find((visit) => visit.token === token) ?? shared[0] ?? null;
}

/** The visits that a session has claimed. Nobody knows which ones a caller without a session has. */
export function claimsOf({ visits }: Pick<LiveRun, "visits">, session: string | undefined): readonly Visit[] {
  return session === undefined ? [] : visits.filter(({ claim }) => claim?.session === session);
}

/** The visits that concern a session: in a loop with `parallel` those that it has claimed, elsewhere all that are open. */
export function visitsFor({ visits }: Pick<LiveRun, "visits">, session: string): readonly Visit[] {
  return visits.filter(({ claim }) => claim === undefined || claim?.session === session);
}

/** The only one of a session's visits, or the only one of them that does not wait for a person. */
export function chosenOf(run: LiveRun, own: readonly Visit[]): Visit | null {
  const going = own.filter((visit) => canGoOn(run, visit));
  const [chosen, ...others] = going.length > 0 ? going : own;
  return chosen === undefined || others.length > 0 ? null : chosen;
}

/** A claim in a token: `@3` at the end of `build/t2/implement#1@3`. A `#` inside an id is escaped. */
const claimPattern = /(#\d+(?:~\d+)?)@(\d{1,15})$/;

/** The number of the claim in a token; null if it has none. */
export function claimIn(token: string): number | null {
  const [, , number] = claimPattern.exec(token) ?? [];
  return number === undefined ? null : Number(number);
}

/** The same visit under another claim, or under none. */
export function withClaim(token: string, claim: number | null): string {
  const free = token.replace(claimPattern, "$1");
  return claim === null ? free : `${free}@${claim}`;
}

/** Whether the visit can end without a person's decision. */
export function canGoOn(run: Pick<LiveRun, "questions">, visit: Visit): boolean {
  const { review, pending, token } = visit;
  return review === null && pending === undefined && !waitsForApproval(visit) && openQuestion(run, token) === null;
}

/** How one visit stands, whatever the others do. */
export function statusOfVisit(run: StartedRun, visit: Visit): StartedRun["status"] {
  if (!isLive(run) || run.status === "paused") return run.status;
  if (visit.review !== null) return "review";
  return canGoOn(run, visit) ? "running" : "waiting";
}

/**
 * Whether time counts towards the budget of a visit: nothing is spent while it waits for a person or for somebody who claims
 * it, or while the run is paused.
 */
export function isTicking(run: LiveRun, visit: Visit): boolean {
  return run.status !== "paused" && visit.claim !== null && canGoOn(run, visit);
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

/**
 * The key of an output: `step`, `step.iteration`, `loop.task.subStep`.
 * Dots inside an id are escaped, so that no two places share a key.
 */
export function outputKey(place: Place): string {
  return segments(place)
    .map((part) => guard(part, /[%.]/g))
    .join(".");
}

/**
 * The token of one attempt at a visit: `build/t2/implement#1`, then `build/t2/implement#1~2` for the second attempt. Under a
 * claim it ends with the number of the claim: `build/t2/implement#1@3`.
 */
export function tokenOf(place: Place, visit: number, attempt: number, claim?: number): string {
  const path = segments(place)
    .map((part) => guard(part, /[%/#~]/g))
    .join("/");
  const of = attempt === 1 ? `${path}#${visit}` : `${path}#${visit}~${attempt}`;
  return claim === undefined ? of : `${of}@${claim}`;
}

function segments(place: Place): string[] {
  switch (place.type) {
    case "action":
    case "loop":
    case "command":
      return [place.step];
    case "sub-step":
      return [place.step, place.task, place.subStep];
    case "ralph":
      return [place.step, String(place.iteration)];
  }
}

function guard(part: string, reserved: RegExp): string {
  // Fast path: most names have nothing to escape.
  if (part.search(reserved) === -1) return part;
  return part.replace(reserved, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
