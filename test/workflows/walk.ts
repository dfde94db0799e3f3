import { dueAction } from "../../src/engine/commands/context-actions.ts";
import { decide } from "../../src/engine/commands/decide.ts";
import { evolve } from "../../src/engine/evolve/evolve.ts";
import { commandAt } from "../../src/engine/step-settings.ts";
import { view } from "../../src/engine/view/view.ts";
import type { AdvanceCommand, Command } from "../../src/model/command.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { wordRefusal } from "../../src/model/refusal/refusal.ts";
import type { Run, StartedRun, Visit } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Status } from "../../src/model/status.ts";
import type { Template } from "../../src/model/template.ts";
import { hashTemplate } from "../../src/templates/hash.ts";

/** What makes a walk leave the straight way. Whatever is not named takes the first outcome of its step. */
export interface Script {
  /** The outcomes of a step, one per visit. */
  readonly outcomes?: Readonly<Record<string, readonly string[]>>;
  /** Visits that fail, by token. */
  readonly failing?: readonly string[];
  /** Visits that spend all their turns and that a person then turns back, by token. */
  readonly pivoting?: readonly string[];
}

export interface Walk {
  readonly run: StartedRun;
  readonly events: readonly RunEvent[];
  /** The tokens of all visits, in the order they were entered. */
  readonly path: readonly string[];
  /** What was answered, as `step: outcome`. */
  readonly answers: readonly string[];
  /** What the agent was told at each visit. */
  readonly told: readonly Status[];
}

/** Goes through a workflow to its end like an obedient agent: it tries to advance, and does what a refusal asks for. */
export function walk(template: Template, script: Script = {}): Walk {
  const walker = createWalker(template);
  const answers: string[] = [];
  const told: Status[] = [];
  const unused = new Set([...(script.failing ?? []), ...(script.pivoting ?? [])]);
  const choose = chooser(script);
  walker.apply({ type: "start", runId, templateHash: hashTemplate(template) });
  for (let visit = walker.visit(); visit !== null; visit = walker.visit()) {
    told.push(walker.look(visit));
    takeContextAction(walker, visit);
    const { token } = visit;
    unused.delete(token);
    if (script.pivoting?.includes(token)) pivot(walker, visit);
    else if (visit.place.type === "command") carryOut(walker, template, visit);
    else if (visit.pending !== undefined) walker.apply({ type: "decide", token, verdict: "abandon", by: "lead" });
    else if (script.failing?.includes(token))
      walker.apply({ type: "advance", token, output: "it failed", failed: true });
    else answers.push(...answer(walker, visit, choose));
  }
  if (unused.size > 0) throw new Error(`the walk never came to ${[...unused].join(", ")}`);
  choose.finish();
  const events = walker.events();
  const path = events.flatMap((event) => (event.type === "visit-entered" ? [event.token] : []));
  return { run: walker.run(), events, path, answers, told };
}

const tasks = [
  { id: "t1", title: "First title", description: "First description" },
  { id: "t2", title: "Second title", description: "Second description" },
];

const runId = "walk-20260131_120000-ab12";
const noon = "2026-01-31T12:00:00.000Z";
/** A walk that needs more commands than this goes in circles. */
const mostCommands = 1000;
/** One refusal each for outcome, gates and approval, then the advance itself. */
const mostTries = 4;

interface Walker {
  apply(command: Command): readonly RunEvent[];
  attempt(command: Command): ReturnType<typeof decide>;
  look(visit: Visit): Status;
  visit(): Visit | null;
  run(): StartedRun;
  events(): readonly RunEvent[];
}

function createWalker(template: Template): Walker {
  let run: Run = { status: "absent" };
  let commands = 0;
  const journal: RunEvent[] = [];
  /** The latest output of each step, which conditions read. */
  const outputs: Record<string, string> = {};
  const attempt = (command: Command) => {
    commands += 1;
    if (commands > mostCommands) throw new Error(`"${template.name}" does not end within ${mostCommands} commands`);
    const decision = decide(template, run, command, noon, outputs);
    const step = isLive(run) ? run.visits[0]?.place.step : undefined;
    if (decision.ok && command.type === "advance" && step !== undefined) outputs[step] = command.output;
    if (decision.ok) {
      run = decision.events.reduce(evolve, run);
      journal.push(...decision.events);
    }
    return decision;
  };
  const started = () => {
    if (run.status === "absent") throw new Error("the walk has not begun");
    return run;
  };
  return {
    attempt,
    apply(command) {
      const decision = attempt(command);
      if (decision.ok) return decision.events;
      throw new Error(`${command.type} was refused: ${wordRefusal(decision.refusal).message}`);
    },
    look: (visit) => view(template, started(), visit, { outputOf: () => undefined, projectRoot: "/project" }),
    // In a loop for several agents, the task that the walker has claimed.
    visit: () => (isLive(run) ? (run.visits.find(({ claim }) => claim !== null) ?? run.visits[0] ?? null) : null),
    run: started,
    events: () => journal,
  };
}

interface Chooser {
  (step: string, known: readonly string[]): string;
  /** Complains about outcomes that no visit came to take. */
  finish(): void;
}

function chooser({ outcomes = {} }: Script): Chooser {
  const left = new Map(Object.entries(outcomes).map(([step, list]) => [step, [...list]]));
  const choose = (step: string, known: readonly string[]) => left.get(step)?.shift() ?? known[0] ?? "";
  const finish = () => {
    for (const [step, list] of left) {
      if (list.length > 0) throw new Error(`no visit of "${step}" took the outcome ${list.join(", ")}`);
    }
  };
  return Object.assign(choose, { finish });
}

/** Asks twice: what is due comes with the first call, and never with the second. */
function takeContextAction(walker: Walker, visit: Visit): void {
  const { token } = visit;
  const expected = dueAction(visit) === null ? 0 : 1;
  const handedOut = () => walker.apply({ type: "hand-out", token }).filter(isHandOut).length;
  if (handedOut() !== expected || handedOut() !== 0) {
    throw new Error(`${token} must hand out its context action ${expected} times`);
  }
}

function isHandOut(event: RunEvent): boolean {
  return event.type === "context-action-handed-out";
}

/** The command ends with 0; what gets the tasks of a loop gets two of them. */
function carryOut(walker: Walker, template: Template, { token, place }: Visit): void {
  const runner = "1.1";
  const evidence = { gate: 0, what: "the command", held: true, exitCode: 0, tail: "done" };
  if (commandAt(template, {}, place) !== null) {
    walker.apply({ type: "start-command", token, runner, interrupted: false });
  }
  walker.apply({ type: "end-command", token, runner, evidence, tasks, cancelled: false });
}

function pivot(walker: Walker, { token }: Visit): void {
  walker.apply({ type: "count", token, turns: 1000 });
  if (walker.run().status !== "review") throw new Error(`${token} has no budget of turns`);
  walker.apply({ type: "review", token, verdict: "pivot", by: "lead", feedback: "try another way" });
}

/** Advances; where that is refused, brings what was missing and tries again. Says which outcome was taken, if any. */
function answer(walker: Walker, { token, place }: Visit, choose: Chooser): string[] {
  let command: AdvanceCommand = { type: "advance", token, output: `the output of ${token}` };
  for (let tries = 0; tries < mostTries; tries++) {
    const decision = walker.attempt(command);
    if (decision.ok) return command.outcome === undefined ? [] : [`${place.step}: ${command.outcome}`];
    const { refusal } = decision;
    if (refusal.code === "tasks-missing") {
      walker.apply({ type: "set-tasks", loop: refusal.loop, tasks });
      return [];
    }
    if (refusal.code === "outcome-needed") {
      command = { ...command, outcome: choose(place.step, refusal.known) };
    } else if (refusal.code === "gate-unchecked") {
      command = { ...command, gates: refusal.gates.map((gate) => ({ gate, held: true, what: "the file is there" })) };
    } else if (refusal.code === "approval-needed") {
      walker.apply({ type: "request-approval", token });
      walker.apply({ type: "approve", token, by: "lead" });
    } else {
      throw new Error(`${token} was refused: ${wordRefusal(refusal).message}`);
    }
  }
  throw new Error(`${token} was still refused after ${mostTries} tries`);
}
