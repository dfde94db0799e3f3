import { fieldsOf } from "../outline.ts";
import type { FaberFields, Notes } from "./notes.ts";
import { type Converting, convertText, instructionsFromFaber } from "./text.ts";

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

/** The order in which FABER runs its phases, regardless of their order in the file. */
const order = ["frame", "architect", "build", "evaluate", "release"];

/** The steps of a merged workflow, with what holds for their phases in their instructions. */
export function stepsFromFaber(workflow: FaberFields, converting: Converting): readonly WrittenStep[] {
  const { notes } = converting;
  const phases = fieldsOf(workflow.phases);
  const writing: Writing = {
    ...converting,
    workflow,
    context: notes.map(workflow.context, "context"),
    defaults: notes.map(workflow.defaults, "defaults"),
    phaseDefaults: notes.map(workflow.phase_defaults, "phase_defaults"),
    steps: [],
    ids: new Set(),
  };
  const names = Object.keys(phases).sort((a, b) => rank(a) - rank(b));
  for (const name of names) writePhase(writing, name, fieldsOf(phases[name]));
  writeApprovals(writing, phases);
  noteUnused(writing);
  return writing.steps;
}

interface Writing extends Converting {
  readonly workflow: FaberFields;
  readonly context: FaberFields;
  readonly defaults: FaberFields;
  readonly phaseDefaults: FaberFields;
  readonly steps: WrittenStep[];
  readonly ids: Set<string>;
}

function rank(phase: string): number {
  const index = order.indexOf(phase);
  return index === -1 ? order.length : index;
}

const stepLists = ["pre_steps", "steps", "post_steps"];
const phaseFields = [...stepLists, "enabled", "description", "validation", "result_handling", "max_retries"];

function writePhase(writing: Writing, phase: string, fields: FaberFields): void {
  const { notes, steps } = writing;
  const path = `phases.${phase}`;
  const listed = stepLists.flatMap((list) => notes.list(fields[list], `${path}.${list}`));
  if (fields.enabled === false) {
    if (listed.length > 0) notes.add(path, fields, "the phase is disabled, so its steps are left out");
    return;
  }
  if (fields.enabled !== undefined) notes.yes(fields.enabled, `${path}.enabled`);
  if (listed.length === 0) notes.add(path, fields.description ?? "", "the phase has no steps here");
  else if (fields.description !== undefined) {
    notes.add(`${path}.description`, fields.description, "a phase has no description here");
  }
  const before = steps.length;
  const added = textsForPhase(writing, phase);
  for (const step of listed.flatMap((each) => sequentialSteps(each, path, notes))) {
    writeStep(writing, phase, fields, step, added);
  }
  const written = steps.slice(before);
  writeValidation(writing, written.at(-1), fields.validation, path);
  if (fields.max_retries !== undefined && !written.some(({ on_fail: onFail }) => onFail === "retry")) {
    notes.add(`${path}.max_retries`, fields.max_retries, "none of its steps is retried");
  }
  notes.rest(path, fields, [...phaseFields, "require_approval"]);
}

/** What FABER adds to the prompt of every step of a phase. */
function textsForPhase({ context, phaseDefaults, notes }: Writing, phase: string): readonly string[] {
  const { prompt, ...runtime } = notes.map(phaseDefaults[phase], `phase_defaults.${phase}`);
  notes.rest(`phase_defaults.${phase}`, runtime, ["max_turns"]);
  return [prompt, ...listOf(fieldsOf(context.phases)[phase])].flatMap(
    (text) => notes.text(text, `context of ${phase}`) ?? [],
  );
}

function writeValidation(writing: Writing, last: WrittenStep | undefined, value: unknown, path: string): void {
  const { notes } = writing;
  const checks = notes
    .list(value, `${path}.validation`)
    .flatMap((check) => notes.text(check, `${path}.validation`) ?? []);
  if (checks.length === 0) return;
  const rows = checks.map((check) => `- ${convertText(check, `${path}.validation`, writing)}`);
  if (last === undefined) notes.add(`${path}.validation`, checks);
  else last.instructions += `\n\nBefore you continue, check that:\n${rows.join("\n")}`;
}

/** Steps that FABER runs in parallel become sequential. */
function sequentialSteps(value: unknown, path: string, notes: Notes): FaberFields[] {
  const { steps_parallel: together, ...group } = notes.map(value, `${path} step`);
  if (together === undefined) return Object.keys(group).length === 0 ? [] : [group];
  notes.add(`${path}.${String(group.id)}`, group, "its steps run one after the other, not in parallel");
  return notes.list(together, `${path}.${String(group.id)}`).map((step) => notes.map(step, `${path} step`));
}

const stepFields = ["id", "name", "description", "prompt", "context", "command", "skill", "config", "arguments"];

function writeStep(
  writing: Writing,
  phase: string,
  phaseOf: FaberFields,
  fields: FaberFields,
  added: readonly string[],
): void {
  const { notes, steps } = writing;
  const id = freeId(writing, phase, fields.id);
  const path = `step ${id}`;
  const own = notes.text(fieldsOf(writing.context.steps)[String(fields.id)], `context of ${path}`);
  const texts = own === undefined ? added : [...added, own];
  const step: WrittenStep = {
    id,
    type: "action",
    phase,
    instructions: instructionsFromFaber(fields, path, texts, writing),
  };
  const handling = { ...fieldsOf(writing.workflow.result_handling), ...fieldsOf(phaseOf.result_handling) };
  const mine = notes.map(fields.result_handling, `${path}.result_handling`);
  const { on_failure: failure = "stop", ...others } = { ...handling, ...mine };
  if (failure === "retry") {
    step.on_fail = "retry";
    const retries = notes.count(phaseOf.max_retries, `phases.${phase}.max_retries`, 0);
    if (retries !== undefined) step.max_retries = retries;
  } else if (failure !== "stop") notes.add(`${path} on_failure`, failure);
  for (const [when, what] of Object.entries(others)) {
    if (what !== "continue") notes.add(`${path} ${when}`, what);
  }
  const turns = turnsOf(writing, phase, fields, path);
  if (turns !== undefined) step.budget = { turns };
  notes.rest(path, fields, [...stepFields, "result_handling", "max_turns"]);
  steps.push(step);
}

/** The step's own limit counts before its phase's and the workflow's. */
function turnsOf({ phaseDefaults, defaults, notes }: Writing, phase: string, fields: FaberFields, path: string) {
  return (
    notes.count(fields.max_turns, `${path}.max_turns`, 1) ??
    notes.count(fieldsOf(phaseDefaults[phase]).max_turns, `phase_defaults.${phase}.max_turns`, 1) ??
    notes.count(defaults.max_turns, "defaults.max_turns", 1)
  );
}

/** Context and defaults that belong to no phase or step of this workflow. */
function noteUnused({ context, defaults, phaseDefaults, steps, ids, notes }: Writing): void {
  const phases = new Set(steps.map(({ phase }) => phase));
  const unused = (fields: FaberFields, known: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));
  const { prompt, ...runtime } = defaults;
  notes.rest("defaults", runtime, ["max_turns"]);
  if (prompt !== undefined) notes.add("defaults.prompt", prompt);
  notes.rest("phase_defaults", unused(phaseDefaults, phases), []);
  notes.rest("context.phases", unused(fieldsOf(context.phases), phases), []);
  notes.rest("context.steps", unused(fieldsOf(context.steps), ids), []);
  notes.rest("context", context, ["global", "phases", "steps"]);
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
function writeApprovals({ workflow, steps, notes }: Writing, phases: FaberFields): void {
  const autonomy = fieldsOf(workflow.autonomy);
  const named = listOf(autonomy.require_approval_for).map(String);
  if (notes.yes(autonomy.pause_before_release, "autonomy.pause_before_release")) named.push("release");
  const own = Object.keys(phases).filter((phase) =>
    notes.yes(fieldsOf(phases[phase]).require_approval, `phases.${phase}.require_approval`),
  );
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
