import { call } from "../test/clients/continuity.ts";
import type { Reply } from "../test/clients/reply.ts";

/** A generated workflow, how far its run goes before the compaction, and what must be known after it. */
export interface Case {
  readonly name: string;
  readonly workflow: string;
  readonly summary: string;
  readonly files: readonly string[];
  readonly calls: readonly Reply[];
  /** In the words of the handoff, given where the run stands. */
  facts(status: Status): string[];
}

interface Status {
  readonly runId: string;
  readonly step: string;
  readonly token: string;
  readonly phase: { readonly current: number; readonly total: number; readonly name: string };
}

export function generateCase(seed: number): Case {
  const pick = dice(seed);
  const some = (most: number, make: (index: number) => string) =>
    Array.from({ length: pick(most + 1) }, (_, index) => make(index));
  const name = `flow-${seed}`;
  const steps = Array.from({ length: 2 + pick(5) }, (_, index) => makeStep(index, pick));
  const files = some(4, (index) => `docs/guide-${seed}-${index}.md`);
  const reminders = some(4, (index) => `Rule ${index} of ${seed}: ${sentence(pick)}`);
  const variables = some(4, (index) => `value_${index}`).map((key) => [key, word(pick)] as const);
  const template = {
    name,
    description: sentence(pick),
    required_reading: files.map((file) => `@${file}`),
    key_reminders: reminders,
    variables: Object.fromEntries(variables),
    loops: Object.fromEntries(steps.flatMap(({ loop, id }) => (loop === null ? [] : [[id, loop]]))),
    steps: steps.map(({ step }) => step),
  };
  const visits = steps.flatMap(({ visits: all }) => all);
  const done = pick(visits.length);
  const calls = visits
    .slice(0, done)
    .flatMap(({ before, output }) => [...before, call("workflow_advance", { output })]);
  const here = visits[done];
  return {
    name,
    // JSON is YAML.
    workflow: JSON.stringify(template),
    summary: `Case ${seed}`,
    files,
    calls: [...calls, ...(here?.before ?? [])],
    facts: (status) => [
      status.runId,
      `${status.phase.current}/${status.phase.total} ${status.phase.name}`,
      status.token,
      here?.instructions ?? "",
      ...steps.flatMap((step, index) => (visits.indexOf(step.last) < done ? [`${index + 1} ${step.id}`] : [])),
      ...files.map((file) => `@${file}`),
      ...reminders,
      ...variables.map(([key, value]) => `${key}: ${value}`),
    ],
  };
}

interface Visit {
  /** What must be called to get here. */
  readonly before: readonly Reply[];
  readonly output: string;
  readonly instructions: string;
}

function makeStep(index: number, pick: (sides: number) => number) {
  const id = `step-${index}-${word(pick)}`;
  const phase = pick(2) === 0 ? {} : { phase: `Phase ${word(pick)} ${index}` };
  const instructions = sentence(pick);
  const visit = (text = instructions, before: readonly Reply[] = []): Visit => ({
    before,
    output: sentence(pick),
    instructions: text,
  });
  const kind = pick(3);
  if (kind === 0) {
    const visits = [visit()];
    return made(id, { id, type: "action", instructions, ...phase }, null, visits);
  }
  if (kind === 1) {
    const n = 1 + pick(3);
    const visits = Array.from({ length: n }, () => visit());
    return made(id, { id, type: "ralph", n, instructions, ...phase }, null, visits);
  }
  const tasks = Array.from({ length: 1 + pick(3) }, (_, task) => ({ id: `t${task}`, title: `Task ${word(pick)}` }));
  const loop = Array.from({ length: 1 + pick(2) }, (_, sub) => ({
    id: `sub-${sub}`,
    instructions: `${sentence(pick)} for {task.title}`,
  }));
  const set = [call("workflow_set_tasks", { loop_id: id, tasks })];
  const visits = tasks.flatMap(({ title }, task) =>
    loop.map((sub, place) => visit(sub.instructions.replace("{task.title}", title), task + place === 0 ? set : [])),
  );
  return made(id, { id, type: "loop", ...phase }, loop, visits);
}

function made(id: string, step: object, loop: readonly object[] | null, visits: readonly Visit[]) {
  const last = visits.at(-1);
  if (last === undefined) throw new Error("a step has at least one visit");
  return { id, step, loop, visits, last };
}

const words = ["anchor", "bowline", "cleat", "drift", "ebb", "fender", "gale", "halyard", "inlet", "jetty", "keel"];

function word(pick: (sides: number) => number): string {
  return words[pick(words.length)] ?? "";
}

function sentence(pick: (sides: number) => number): string {
  return Array.from({ length: 4 + pick(5) }, () => word(pick)).join(" ");
}

/** The same numbers for the same seed, so that a lost fact can be looked for again. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % sides;
  };
}
