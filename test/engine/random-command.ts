import fc from "fast-check";
import type { Command, VisitTarget } from "../../src/model/command.ts";
import type { Run } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Step, Template } from "../../src/model/template.ts";
import { hash, runId } from "./drive.ts";

/** What a caller knows of a run when it acts. */
export interface Known {
  readonly law: Template;
  readonly run: Run;
  /** Every token there ever was, oldest first. */
  readonly tokens: readonly string[];
  /** The advance that was accepted last. */
  readonly last: Command | null;
}

/** What a caller might do next, before it is fitted to where the run stands: right, stale, repeated or out of order. */
export const intent = fc.record({
  act: fc.constantFrom(
    ...(["advance", "advance", "advance", "advance", "repeat", "hand-out", "hand-out", "tasks", "tasks"] as const),
    ...(["count", "review", "request", "approve", "reject", "report", "open-review", "pause", "resume"] as const),
    ...(["goto", "abort", "adopt", "start", "observe", "artefacts", "summary", "fail", "check"] as const),
    ...(["ask", "answer", "answer", "withdraw", "todo", "take"] as const),
    ...(["decide", "decide", "decide", "reopen"] as const),
    ...(["begin", "begin", "begin", "end", "end", "end", "end", "claim", "claim"] as const),
  ),
  aim: fc.constantFrom("open", "open", "open", "none", "spent", "garbage"),
  session: fc.constantFrom(undefined, "a", "b"),
  pick: fc.nat(99),
  held: fc.boolean(),
  wait: fc.nat(3),
});
export type Intent = typeof intent extends fc.Arbitrary<infer T> ? T : never;

export function commandFor(known: Known, given: Intent): Command {
  return commands[given.act]({ ...given, known, who: aimOf(known, given) });
}

interface Fitting extends Intent {
  readonly known: Known;
  readonly who: VisitTarget;
}

const by = "person";

function tasksFor(pick: number) {
  const id = (n: number) => (pick === 50 ? "same" : `t${pick % 5}.${n}`);
  const before = (n: number) => (pick % 8 > 4 && n > 0 ? { depends_on: [id(pick % n)] } : {});
  return Array.from({ length: pick % 4 }, (_, n) => ({ id: id(n), title: `Task ${n}`, ...before(n) }));
}

const commands: { readonly [A in Intent["act"]]: (fitting: Fitting) => Command } = {
  advance: ({ known, who, pick, held }) => {
    const here = stepOf(known);
    const outcomes = here?.type === "action" && here.outcomes ? Object.keys(here.outcomes) : [];
    const outcome = pick % 9 === 0 ? "nope" : outcomes[pick % (outcomes.length || 1)];
    const evidence = evidenceOf(pick, held);
    return { type: "advance", ...who, output: `o${pick % 4}`, gates: evidence, until: evidence, outcome };
  },
  repeat: ({ known, who }) => known.last ?? { type: "hand-out", ...who },
  fail: ({ who }) => ({ type: "advance", ...who, output: "broken", failed: true }),
  take: ({ who }) => ({ type: "take-instructions", ...who }),
  "hand-out": ({ who }) => ({ type: "hand-out", ...who }),
  tasks: ({ known, pick, session }) => {
    const here = stepOf(known);
    const loop = here?.type === "loop" && pick % 4 > 0 ? here.id : pick % 7 === 0 ? "__proto__" : stepAt(known, pick);
    return { type: "set-tasks", loop, tasks: tasksFor(pick), session, person: pick % 3 === 0 ? { by } : undefined };
  },
  count: ({ who, pick, held }) => {
    const read = { from: pick, to: { bytes: pick + 10, message: `m${pick}` } };
    const reported = { tokens: pick % 30, cost: (pick % 4) / 10, ...(pick % 3 === 0 && { read }) };
    return { type: "count", ...who, turns: pick % 3, ...(held && reported) };
  },
  review: ({ who, pick, held }) => {
    const verdict = (["continue", "continue", "pivot", "escalate", "abandon"] as const)[pick % 5] ?? "continue";
    return { type: "review", ...who, verdict, by, feedback: held ? "look again" : undefined };
  },
  decide: ({ known, who, pick, held }) => {
    const verdict = (["retry", "retry", "skip", "go_to", "abandon"] as const)[pick % 5] ?? "retry";
    const step = pick % 7 === 0 ? "nowhere" : stepAt(known, pick);
    return { type: "decide", ...who, verdict, step, by, reason: held ? "as you like" : undefined };
  },
  reopen: ({ known, pick, held }) => ({ type: "reopen", step: held ? undefined : stepAt(known, pick), by }),
  begin: ({ who, pick, held }) => ({ type: "start-command", ...who, runner: `${pick % 3}.1`, interrupted: held }),
  end: ({ known, who, pick, held }) => {
    const running = isLive(known.run) ? known.run.visits[0]?.command?.runner : undefined;
    const runner = pick % 9 === 0 ? "9.9" : (running ?? "0.1");
    const evidence = { gate: 0, what: "npm run build", held, exitCode: held ? 0 : 1, tail: `o${pick % 4}` };
    return { type: "end-command", ...who, runner, evidence, tasks: tasksFor(pick), cancelled: pick % 5 === 0 };
  },
  request: ({ who }) => ({ type: "request-approval", ...who }),
  approve: ({ who }) => ({ type: "approve", ...who, by }),
  reject: ({ who }) => ({ type: "reject", ...who, by, reason: "no" }),
  check: ({ who, pick, held }) => ({ type: "start-gates", ...who, runner: `${pick}.1`, interrupted: held }),
  report: ({ who, pick, held }) => ({ type: "report-gates", ...who, evidence: evidenceOf(pick, held) }),
  ask: ({ who, pick }) => ({ type: "ask", ...who, question: `Which ${pick % 3}?` }),
  answer: ({ known, pick, held }) => {
    const asked = known.run.status === "absent" ? 0 : known.run.asked;
    const question = pick % 3 > 0 ? undefined : `q${(pick % (asked + 2)) + 1}`;
    return { type: "answer", question, answer: held ? "yes" : `${pick}`, by };
  },
  withdraw: () => ({ type: "withdraw", by }),
  todo: ({ pick }) => ({ type: "update-todo", file: "TODO.md", hash: `sha256:${pick}`, items: 3, done: pick % 4 }),
  "open-review": ({ who }) => ({ type: "open-review", ...who }),
  observe: ({ who, held }) => ({ type: "observe-context-action", ...who, action: held ? "compact" : "clear" }),
  pause: () => ({ type: "pause", by }),
  resume: () => ({ type: "resume", by }),
  goto: ({ known, pick }) => {
    const step = pick % 5 === 0 ? "nowhere" : stepAt(known, pick);
    return { type: "goto", step, by, reason: "elsewhere" };
  },
  abort: ({ who, pick }) => (pick > 90 ? { type: "abort", by, reason: "enough" } : { type: "hand-out", ...who }),
  adopt: ({ held }) => ({ type: "adopt", templateHash: held ? hash : "sha256:fedcba9876543210", by }),
  artefacts: ({ pick }) => ({ type: "register-artefacts", paths: [`docs/${pick % 5}.md`, "../out", "/etc/passwd"] }),
  claim: ({ known: { run }, session, held }) => {
    const claims = held && isLive(run) ? run.visits.flatMap(({ claim }) => claim?.number ?? []) : [];
    return { type: "claim", session, expired: claims };
  },
  summary: ({ pick }) => ({ type: "set-summary", summary: `about ${pick}` }),
  start: ({ session }) => ({ type: "start", runId, templateHash: hash, session }),
};

function aimOf({ run, tokens }: Known, { aim, pick, session }: Intent): VisitTarget {
  const open = isLive(run) ? run.visits[pick % (run.visits.length || 1)]?.token : undefined;
  const spent = tokens[pick % (tokens.length || 1)];
  return { token: { open, none: undefined, spent, garbage: "x#9" }[aim], session };
}

function stepOf({ law, run }: Known): Step | undefined {
  const place = isLive(run) ? run.visits[0]?.place : undefined;
  return law.steps.find((step) => step.id === place?.step);
}

function stepAt({ law }: Known, pick: number): string {
  return law.steps[pick % law.steps.length]?.id ?? "";
}

function evidenceOf(pick: number, held: boolean) {
  return [0, 1].map((gate) => ({ gate, held: held || pick % 3 > 0, what: "npm test" }));
}
