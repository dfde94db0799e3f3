import { stringify } from "yaml";
import { bare } from "../../model/quote.ts";
import { fieldsOf } from "../outline.ts";
import { artifactsFromFaber } from "./artifacts.ts";
import { mergeFaber } from "./merge.ts";
import { createNotes, type FaberFields, type Notes } from "./notes.ts";
import { stepsFromFaber } from "./steps.ts";
import { type Converting, convertText } from "./text.ts";

/** A FABER workflow as a workflow file, with notes on everything that has no equivalent. */
export interface FromFaber {
  readonly yaml: string;
  readonly notes: readonly string[];
}

/** What the workflow extends: the workflows that were found, nearest first, and the name of one that was not. */
export interface FaberBases {
  readonly found: readonly unknown[];
  readonly missing: string | null;
}

/** Returns the problems if the value is not a FABER workflow. Nothing is dropped without a note. */
export function fromFaber(
  value: unknown,
  name: string,
  { found, missing }: FaberBases = { found: [], missing: null },
): FromFaber | readonly string[] {
  const own = fieldsOf(value);
  if (Object.keys(fieldsOf(own.phases)).length === 0 && found.length === 0)
    return ['"phases" must be a map with frame, architect, build, evaluate, release'];
  const notes = createNotes();
  const converting = { notes, used: new Set<string>() };
  const workflow = mergeFaber([own, ...found.map(fieldsOf)], notes);
  const steps = stepsFromFaber(workflow, converting);
  if (steps.length === 0) return [`no phase has a step; ${howToExtend(missing)}`];
  const phases = new Set(steps.map(({ phase }) => phase));
  const artifacts = artifactsFromFaber(fieldsOf(workflow.critical_artifacts), phases, converting);
  const reminders = remindersFromFaber(workflow, converting);
  const description = notes.text(workflow.description, "description");
  const { used } = converting;
  const template = {
    name,
    description: description ?? `Imported from FABER: ${name}`,
    ...(used.size > 0 && { variables: Object.fromEntries([...used].map((variable) => [variable, ""])) }),
    ...(reminders.length > 0 && { key_reminders: reminders }),
    ...(artifacts !== null && { critical_artifacts: artifacts }),
    steps,
  };
  noteRest(workflow, missing, notes);
  const all = notes.all();
  const comments = ["Imported from a FABER workflow.", ...(all.length > 0 ? ["Without an equivalent here:"] : [])];
  const head = [...comments, ...all.map((note) => `- ${note}`)].map((line) => `# ${line}\n`).join("");
  return { yaml: `${head}${stringify(template, { lineWidth: 110 })}`, notes: all };
}

function howToExtend(missing: string | null): string {
  if (missing === null) return "add one to a phase";
  return `put the workflow that it extends (${bare(missing)}) beside it, then import it again`;
}

/** The prompts and the global context, which FABER gives to every step. */
function remindersFromFaber(workflow: FaberFields, converting: Converting): readonly string[] {
  const { notes } = converting;
  const { global } = fieldsOf(workflow.context);
  const texts = [
    ...notes.list(workflow.prompt, "prompt").map((text) => notes.text(text, "prompt")),
    ...notes.list(global, "context.global").map((text) => notes.text(text, "context.global")),
  ].flatMap((text) => text ?? []);
  return [...new Set(texts)].map((text) => {
    const reminder = convertText(text, "prompt", converting);
    if (reminder.includes("{project_root}")) notes.add("prompt", "{project_root}", "it is not filled in reminders");
    return reminder.replaceAll("{project_root}", "{{project_root}");
  });
}

/** Handled above or in the other faber files; `$schema` needs no note. */
const understood = [
  ...["$schema", "id", "description", "phases", "prompt", "critical_artifacts", "result_handling", "autonomy"],
  ...["extends", "skip_steps", "context", "defaults", "phase_defaults"],
];

function noteRest(workflow: FaberFields, missing: string | null, notes: Notes): void {
  notes.text(workflow.extends, "extends");
  if (missing !== null) {
    const why =
      "it was not found, so its steps, approvals and artifacts are missing; put it beside the file and import again";
    notes.add("extends", missing, why);
  }
  const { level, require_approval_for: _for, pause_before_release: _before, ...autonomy } = fieldsOf(workflow.autonomy);
  if (level !== undefined) notes.add("autonomy.level", level, "use approvals and gates of the steps instead");
  notes.rest("autonomy", autonomy, []);
  notes.rest("", workflow, understood);
}
