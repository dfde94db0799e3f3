import { stringify } from "yaml";
import { artifactsFromFaber } from "./faber-artifacts.ts";
import { createNotes, type Notes } from "./faber-notes.ts";
import { stepsFromFaber } from "./faber-steps.ts";
import { fieldsOf } from "./outline.ts";

/** A FABER workflow as a workflow file, with notes on everything that has no equivalent. */
export interface FromFaber {
  readonly yaml: string;
  readonly notes: readonly string[];
}

/** Returns the problems if the value is not a FABER workflow. Nothing is dropped without a note. */
export function fromFaber(value: unknown, name: string): FromFaber | readonly string[] {
  const workflow = fieldsOf(value);
  const phases = fieldsOf(workflow.phases);
  if (Object.keys(phases).length === 0)
    return ['"phases" must be a map with frame, architect, build, evaluate, release'];
  const notes = createNotes();
  const { steps, used } = stepsFromFaber(workflow, phases, notes);
  if (steps.length === 0) return ["no phase has a step; import the workflow it extends instead"];
  const phasesWithSteps = new Set(steps.map(({ phase }) => phase));
  const artifacts = artifactsFromFaber(workflow.critical_artifacts, phasesWithSteps, notes);
  const prompt = notes.text(workflow.prompt, "prompt");
  const template = {
    name,
    description: notes.text(workflow.description, "description") ?? `Imported from FABER: ${name}`,
    ...(used.length > 0 && { variables: Object.fromEntries(used.map((variable) => [variable, ""])) }),
    ...(prompt !== undefined && { key_reminders: [prompt] }),
    ...(artifacts !== null && { critical_artifacts: artifacts }),
    steps,
  };
  noteRest(workflow, notes);
  const all = notes.all();
  const comments = ["Imported from a FABER workflow.", ...(all.length > 0 ? ["Without an equivalent here:"] : [])];
  const head = [...comments, ...all.map((note) => `- ${note}`)].map((line) => `# ${line}\n`).join("");
  return { yaml: `${head}${stringify(template, { lineWidth: 110 })}`, notes: all };
}

/** Handled above or in the other faber files; `$schema` needs no note. */
const understood = [
  "$schema",
  "id",
  "description",
  "phases",
  "prompt",
  "critical_artifacts",
  "result_handling",
  "autonomy",
];

function noteRest(workflow: Readonly<Record<string, unknown>>, notes: Notes): void {
  if (workflow.extends !== undefined) {
    notes.add("extends", workflow.extends, "inherited parts are not in this file; import that workflow, too");
  }
  const {
    level,
    description: _description,
    require_approval_for: _for,
    pause_before_release: _before,
    ...autonomy
  } = fieldsOf(workflow.autonomy);
  if (level !== undefined) notes.add("autonomy.level", level, "use approvals and gates of the steps instead");
  notes.rest("autonomy", autonomy, []);
  notes.rest("", workflow, [...understood, "extends"]);
}
