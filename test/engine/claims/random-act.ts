import fc from "fast-check";
import { stepSettings } from "../../../src/engine/step-settings.ts";
import type { Command, VisitTarget } from "../../../src/model/command.ts";
import type { LiveRun, Run, Visit } from "../../../src/model/run.ts";
import { isLive } from "../../../src/model/run-state.ts";
import type { Task } from "../../../src/model/task.ts";
import type { Template } from "../../../src/model/template.ts";
import { hash, runId } from "../drive.ts";

/** The indexes, by task, of those that it depends on; most depend on few, so that several can be worked on. */
export const graph = fc.array(fc.oneof(fc.constant([]), fc.array(fc.nat(9), { maxLength: 2 })), {
  maxLength: 7,
  size: "max",
});

/** What an agent or a person might do next, before it is fitted to where the run stands. */
export const act = fc.record({
  what: fc.constantFrom(
    ...Array.from({ length: 36 }, () => "work" as const),
    ...(["person", "person", "person", "person", "person"] as const),
    ...(["claim", "claim", "claim", "expire", "expire", "expire", "late", "late", "fail", "fail", "repeat"] as const),
    ...(["advance", "advance", "advance", "advance", "lose", "lose", "lose"] as const),
    ...(["hand-out", "take", "ask", "answer", "request", "approve", "reject", "decide", "review"] as const),
    ...(["count", "count", "open-review", "tasks", "tasks", "release", "goto", "pause", "resume"] as const),
    ...(["abort", "reopen", "end", "end-final", "follow", "receive", "gates", "report", "observe"] as const),
  ),
  aim: fc.constantFrom("own", "own", "none", "none", "any", "others", "others", "late"),
  session: fc.constantFrom(undefined, undefined, "a", "b", "c"),
  other: fc.constantFrom("a", "b", "c", "d"),
  pick: fc.nat(99),
  held: fc.boolean(),
  wait: fc.nat(3),
  graph,
});
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

export interface Known {
  readonly law: Template;
  readonly run: Run;
  /** Every token that ever named a visit, oldest first. */
  readonly tokens: readonly string[];
  /** The advance that was accepted last. */
  readonly last: Command | null;
}

/** A list of tasks, each of which may depend on others: on earlier ones, unless the list is turned around. */
export function tasksOf(graph: Act["graph"], isReversed: boolean): Task[] {
  const tasks = graph.map((before, index) => ({
    id: `t${index}`,
    title: `Task ${index}`,
    ...(index > 0 && { depends_on: [...new Set(before.map((each) => `t${each % index}`))] }),
  }));
  return isReversed ? tasks.reverse() : tasks;
}

const by = "person";

/** Null stands for a receipt, which is no command. */
export function commandFor(known: Known, given: Act): Command | null {
  if (given.what === "receive") return null;
  if (!isLive(known.run)) return afterEnd(known, given);
  return commands[given.what]({ ...given, known, run: known.run, target: targetOf(known, known.run, given) });
}

function afterEnd({ run }: Known, { what, session, held }: Act): Command {
  if (run.status === "absent") return { type: "start", runId, templateHash: hash, session };
  if (what === "late") return { type: "claim", session, expired: [] };
  return { type: "reopen", by, step: held ? undefined : "build" };
}

interface Fitting extends Act {
  readonly known: Known;
  readonly run: LiveRun;
  readonly target: VisitTarget;
}

const commands: { readonly [A in Exclude<Act["what"], "receive">]: (fitting: Fitting) => Command } = {
  work,
  person: ({ run, pick, held }) => {
    const waiting = run.visits.filter((visit) => waits(run, visit));
    const visit = waiting[pick % (waiting.length || 1)];
    return visit === undefined ? { type: "resume", by } : settle(run, visit, pick, held);
  },
  claim: ({ run, session, pick, held }) => ({
    type: "claim",
    session,
    task: held ? undefined : taskAt(run, pick),
    expired: [],
    worktree: pick % 2 === 0 ? null : `w${pick % 3}`,
  }),
  expire: ({ run, session, pick, held }) => {
    const expired = numbersOf(run).filter((_, index) => held || (pick >> index) % 2 === 0);
    return { type: "claim", session, task: pick % 3 === 0 ? taskAt(run, pick) : undefined, expired };
  },
  // The agents at one task are lost, one after the other.
  lose: ({ run, session }) => {
    const visit = run.visits.find(({ lost, claim }) => lost !== undefined && claim !== null);
    const { claim, place } = visit ?? run.visits.find((each) => each.claim != null) ?? {};
    const task = place?.type === "sub-step" ? place.task : undefined;
    return { type: "claim", session, task, expired: claim == null ? [] : [claim.number] };
  },
  advance: ({ target, pick }) => ({ type: "advance", ...target, output: `o${pick % 4}`, gates: evidence }),
  late: ({ known, session, pick, held }) => {
    const token = known.tokens[pick % (known.tokens.length || 1)];
    return { type: "advance", token, session, output: "late", failed: held, gates: evidence };
  },
  fail: ({ target, pick }) => ({ type: "advance", ...target, output: `broken ${pick % 3}`, failed: true }),
  repeat: ({ known, session }) => known.last ?? { type: "hand-out", session },
  "hand-out": ({ target, held }) => ({ type: "hand-out", ...target, watched: held }),
  take: ({ target }) => ({ type: "take-instructions", ...target }),
  ask: ({ target, pick }) => ({ type: "ask", ...target, question: `Which ${pick % 3}?` }),
  answer: ({ run, pick }) => ({ type: "answer", question: `q${(pick % (run.asked + 1)) + 1}`, answer: "yes", by }),
  request: ({ target }) => ({ type: "request-approval", ...target }),
  approve: ({ run, pick, held }) => ({ type: "approve", by, task: held ? undefined : taskAt(run, pick) }),
  reject: ({ run, pick }) => ({ type: "reject", by, reason: "no", task: taskAt(run, pick) }),
  decide: ({ run, pick }) => ({ type: "decide", by, task: taskAt(run, pick), ...verdictOn(pick) }),
  review: ({ run, pick }) => ({ type: "review", by, task: taskAt(run, pick), verdict: reviewOn(pick) }),
  count: ({ target, pick }) => ({ type: "count", ...target, turns: pick % 3, tokens: pick }),
  "open-review": ({ target }) => ({ type: "open-review", ...target }),
  tasks: ({ run, session, graph, pick, held }) => {
    const loop = run.visits[0]?.place.step === "extra" || pick % 6 === 0 ? "extra" : "build";
    const person = pick % 5 === 0 ? { by } : undefined;
    return { type: "set-tasks", loop, tasks: tasksOf(graph, held), session, person };
  },
  release: ({ run, pick, held }) => ({ type: "release", by, task: held ? undefined : taskAt(run, pick) }),
  goto: ({ pick }) => {
    const step = pick % 2 === 0 ? "build" : (["plan", "check", "extra"][pick % 3] ?? "plan");
    return pick > 60 ? { type: "goto", step, by, reason: "elsewhere" } : { type: "resume", by };
  },
  pause: ({ pick }) => (pick > 60 ? { type: "pause", by } : { type: "resume", by }),
  resume: () => ({ type: "resume", by }),
  abort: ({ pick }) => (pick > 85 ? { type: "abort", by, reason: "enough" } : { type: "resume", by }),
  reopen: () => ({ type: "reopen", by }),
  end: ({ other }) => ({ type: "end-session", session: other, reason: "clear" }),
  "end-final": ({ other }) => ({ type: "end-session", session: other, reason: "exit", isFinal: true }),
  follow: ({ other, session }) => {
    const follows = session === other ? undefined : session;
    return { type: "start-session", session: other, host: "claude", source: "clear", follows };
  },
  gates: ({ target, pick, held }) => ({ type: "start-gates", ...target, runner: `${pick % 3}.1`, interrupted: held }),
  report: ({ target, held }) => ({
    type: "report-gates",
    ...target,
    evidence: evidence.map((one) => ({ ...one, held })),
  }),
  observe: ({ target, held }) => ({ type: "observe-context-action", ...target, action: held ? "clear" : "compact" }),
};

const evidence = [{ gate: 0, held: true, what: "npm test" }];

/**
 * What an agent does next that does its work: claim, take the instructions, ask for the approval, end the visit. Now and then
 * somebody else does it who was told the token, such as a subagent.
 */
function work({ known: { law }, run, session, graph, pick, held }: Fitting): Command {
  const going = run.visits.filter((visit) => !waits(run, visit));
  const own = going.filter((visit) => isOf(visit, session));
  const begun = going.filter(({ claim }) => claim !== null);
  const isFree = begun.length < going.length;
  const isGuest = begun.length > 0 && pick % 3 === 0;
  if (own.length === 0 && isFree && !isGuest) return { type: "claim", session, expired: held ? numbersOf(run) : [] };
  const busy = own.length > 0 && !isGuest ? own : begun;
  const visit = busy[pick % (busy.length || 1)];
  if (visit === undefined) return { type: "resume", by };
  const who = visit.claim == null || isGuest ? session : (visit.claim.session ?? undefined);
  return workOn(law, visit, who, pick) ?? setTasks(visit, who, tasksOf(graph, held));
}

/** Null if the visit waits for tasks. */
export function workOn(law: Template, visit: Visit, session: string | undefined, pick: number): Command | null {
  const { token, place } = visit;
  if (place.type === "loop") return null;
  if (visit.action?.status === "due") return { type: "hand-out", token, session };
  if (visit.untaken) return { type: pick % 2 === 0 ? "hand-out" : "take-instructions", token, session };
  const asks = stepSettings(law, place)?.gates.some((gate) => "approval" in gate) ?? false;
  if (asks && visit.approval === "none") return { type: "request-approval", token, session };
  const outcome = place.step === "check" ? (["on", "on", "back", "anew"][pick % 4] ?? "on") : undefined;
  return { type: "advance", token, session, output: `o${pick % 4}`, gates: evidence, outcome };
}

function setTasks({ place }: Visit, session: string | undefined, tasks: readonly Task[]): Command {
  return { type: "set-tasks", loop: place.step, tasks, session };
}

/** What a person says to the visit, by what it waits for. */
export function settle(run: LiveRun, { token, review, pending, place }: Visit, pick: number, held: boolean): Command {
  if (run.status === "paused") return { type: "resume", by };
  if (review !== null) return { type: "review", token, by, verdict: reviewOn(pick), feedback: held ? "so" : undefined };
  if (pending !== undefined) return { type: "decide", token, by, ...verdictOn(pick) };
  const question = run.questions.find((each) => each.token === token && each.answer === null);
  if (question !== undefined) return { type: "answer", question: question.id, answer: "yes", by };
  const task = place.type === "sub-step" ? place.task : undefined;
  return held ? { type: "approve", task, by } : { type: "reject", task, by, reason: "again" };
}

function verdictOn(pick: number) {
  const verdict = (["retry", "retry", "skip", "skip", "go_to", "abandon"] as const)[pick % 6] ?? "retry";
  return { verdict, step: ["plan", "build", "check"][pick % 3] };
}

function reviewOn(pick: number) {
  return (["continue", "continue", "continue", "pivot", "escalate", "abandon"] as const)[pick % 6] ?? "continue";
}

/** Whether the visit waits for a person, by what its parts say. */
export function waits(run: LiveRun, { token, review, pending, approval }: Visit): boolean {
  const isAsked = run.questions.some((each) => each.token === token && each.answer === null);
  return review !== null || pending !== undefined || approval === "requested" || approval === "foreign" || isAsked;
}

function isOf({ claim }: Visit, session: string | undefined): boolean {
  return claim === undefined || (claim !== null && claim.session === (session ?? null));
}

function numbersOf({ visits }: LiveRun): number[] {
  return visits.flatMap(({ claim }) => (claim == null ? [] : [claim.number]));
}

function taskAt({ visits }: LiveRun, pick: number): string {
  const { place } = visits[pick % (visits.length || 1)] ?? {};
  return place?.type === "sub-step" && pick % 9 > 0 ? place.task : "t9";
}

function targetOf({ tokens }: Known, run: LiveRun, { aim, session, pick }: Act): VisitTarget {
  const own = run.visits.filter((visit) => isOf(visit, session));
  const others = run.visits.filter((visit) => !isOf(visit, session));
  const token = {
    own: own[pick % (own.length || 1)]?.token,
    none: undefined,
    any: run.visits[pick % (run.visits.length || 1)]?.token,
    others: others[pick % (others.length || 1)]?.token,
    late: tokens[pick % (tokens.length || 1)],
  }[aim];
  return { token, session };
}
