import type { Notes } from "./faber-notes.ts";
import { instructionsFromFaber } from "./faber-text.ts";
import { fieldsOf } from "./outline.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A step as it is written to the workflow file. */
export interface WrittenStep {
  id: string;
  type: "action";
  phase: string;
  instructions: string;
  on_fail?: "retry";
  max_retries?: number;
  budget?: { turns: number };
  gate?: { approval: "human" }[];
}

export interface WrittenSteps {
  readonly steps: readonly WrittenStep[];
  /** Variables used in the instructions. */
  readonly used: readonly string[];
}

/** The order in which FABER runs its phases, regardless of their order in the file. */
const order = ["frame", "architect", "build", "evaluate", "release"];

export function stepsFromFaber(workflow: Fields, phases: Fields, notes: Notes): WrittenSteps {
  const writing: Writing = { workflow, notes, steps: [], used: new Set(), ids: new Set() };
  const names = Object.keys(phases).sort((a, b) => rank(a) - rank(b));
  for (const name of names) writePhase(writing, name, fieldsOf(phases[name]));
  writeApprovals(writing, phases);
  return { steps: writing.steps, used: [...writing.used] };
}

interface Writing {
  readonly workflow: Fields;
  readonly notes: Notes;
  readonly steps: WrittenStep[];
  readonly used: Set<string>;
  readonly ids: Set<string>;
}

function rank(phase: string): number {
  const index = order.indexOf(phase);
  return index === -1 ? order.length : index;
}

const phaseFields = ["enabled", "description", "pre_steps", "steps", "post_steps", "validation", "result_handling"];

function writePhase(writing: Writing, phase: string, fields: Fields): void {
  const { notes, steps } = writing;
  const path = `phases.${phase}`;
  const lists = ["pre_steps", "steps", "post_steps"].map((list) => listOf(fields[list]));
  const listed = lists.flat();
  if (fields.enabled === false) {
    if (listed.length > 0) notes.add(path, fields, "the phase is disabled, so its steps are left out");
    return;
  }
  if (listed.length === 0) notes.add(path, fields.description ?? "", "the phase has no steps here");
  const before = steps.length;
  for (const step of listed.flatMap((each) => sequentialSteps(each, path, notes)))
    writeStep(writing, phase, fields, step);
  const last = steps.at(-1);
  const validation = listOf(fields.validation).map(String);
  if (validation.length > 0 && last !== undefined && steps.length > before) {
    last.instructions += `\n\nBefore you continue, check that:\n${validation.map((each) => `- ${each}`).join("\n")}`;
  } else if (validation.length > 0) notes.add(`${path}.validation`, validation);
  notes.rest(path, fields, [...phaseFields, "max_retries", "require_approval"]);
}

/** Steps that FABER runs in parallel become sequential. */
function sequentialSteps(value: unknown, path: string, notes: Notes): Fields[] {
  const { steps_parallel: together, ...group } = fieldsOf(value);
  if (together === undefined) return [fieldsOf(value)];
  notes.add(`${path}.${String(group.id)}`, group, "its steps run one after the other, not in parallel");
  return listOf(together).map(fieldsOf);
}

const stepFields = ["id", "name", "description", "prompt", "context", "command", "skill", "config", "arguments"];

function writeStep(writing: Writing, phase: string, phaseOf: Fields, fields: Fields): void {
  const { notes, steps, used } = writing;
  const id = freeId(writing, phase, fields.id);
  const { instructions, variables } = instructionsFromFaber(fields, `step ${id}`, notes);
  for (const variable of variables) used.add(variable);
  const handling = { ...fieldsOf(writing.workflow.result_handling), ...fieldsOf(phaseOf.result_handling) };
  const { on_failure: failure = "stop", ...others } = { ...handling, ...fieldsOf(fields.result_handling) };
  const step: WrittenStep = { id, type: "action", phase, instructions };
  if (failure === "retry") {
    step.on_fail = "retry";
    const retries = phaseOf.max_retries;
    if (typeof retries === "number" && Number.isInteger(retries) && retries >= 0) step.max_retries = retries;
  } else if (failure !== "stop") notes.add(`step ${id} on_failure`, failure);
  for (const [when, what] of Object.entries(others)) {
    if (what !== "continue") notes.add(`step ${id} ${when}`, what);
  }
  const turns = fields.max_turns;
  if (typeof turns === "number" && Number.isInteger(turns) && turns > 0) step.budget = { turns };
  notes.rest(`step ${id}`, fields, [...stepFields, "result_handling", "max_turns"]);
  steps.push(step);
}

function freeId({ ids, notes }: Writing, phase: string, given: unknown): string {
  const wanted = typeof given === "string" && given.trim() !== "" ? given.trim().slice(0, 80) : phase;
  let id = wanted;
  for (let number = 2; ids.has(id); number++) id = number === 2 ? `${phase}-${wanted}` : `${phase}-${wanted}-${number}`;
  if (id !== given) notes.add(`phases.${phase} step id`, given ?? "", `the step is called ${id} here`);
  ids.add(id);
  return id;
}

/** An approval before a phase or step becomes a gate on the step before it. */
function writeApprovals({ workflow, steps, notes }: Writing, phases: Fields): void {
  const autonomy = fieldsOf(workflow.autonomy);
  const named = listOf(autonomy.require_approval_for).map(String);
  if (autonomy.pause_before_release === true) named.push("release");
  const own = Object.keys(phases).filter((phase) => fieldsOf(phases[phase]).require_approval === true);
  for (const before of new Set([...own, ...named])) {
    const first = steps.findIndex(({ id, phase }) => phase === before || id === before);
    const step = steps[Math.max(0, first - 1)];
    if (first === -1 || step === undefined) notes.add("approval before", before, "there is no such phase or step here");
    else step.gate = [{ approval: "human" }];
    if (first === 0)
      notes.add("approval before", before, `no step comes before it; the step ${step?.id} asks at its end`);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
