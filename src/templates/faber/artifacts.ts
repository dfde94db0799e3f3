import { type Artifact, CriticalArtifacts } from "../../model/artifact.ts";
import { parseCondition } from "../../model/condition/condition.ts";
import { parseMemberPath } from "../../model/condition/member-path.ts";
import { pathNames, placeholdersOf, runStatePath } from "../../model/path-text.ts";
import { parseTrigger } from "../../model/trigger.ts";
import { fieldsOf } from "../outline.ts";
import type { FaberFields, Notes } from "./notes.ts";
import { type Converting, faberVariables } from "./text.ts";

type Phases = ReadonlySet<string>;

/** Converts FABER's critical artifacts, merged; notes each one that cannot be expressed. */
export function artifactsFromFaber(value: FaberFields, phases: Phases, converting: Converting): object | null {
  const { notes } = converting;
  const { always_load: always, conditional_load: conditional, phase_specific: specific, ...rest } = value;
  notes.rest("critical_artifacts", rest, []);
  const take = (items: readonly unknown[]) => {
    return items.flatMap((item) => artifactOf(notes.map(item, "critical_artifacts entry"), phases, converting));
  };
  const inPhases = Object.entries(fieldsOf(specific)).flatMap(([phase, items]) =>
    notes
      .list(items, `critical_artifacts.phase_specific.${phase}`)
      .map((item) => withTrigger(fieldsOf(item), `phase_start:${phase}`)),
  );
  const taken = { always_load: take([...listOf(always), ...inPhases]), conditional_load: take(listOf(conditional)) };
  const filled = Object.entries(taken).filter(([, items]) => items.length > 0);
  return filled.length === 0 ? null : Object.fromEntries(filled);
}

function withTrigger(fields: FaberFields, trigger: string): FaberFields {
  return { ...fields, reload_triggers: [trigger, ...listOf(fields.reload_triggers)] };
}

const understood = ["id", "type", "path", "path_from_state", "command", "description", "required", "condition"];

function artifactOf(fields: FaberFields, phases: Phases, converting: Converting): Artifact[] {
  const { notes, used } = converting;
  if (Object.keys(fields).length === 0) return [];
  const where = `artifact ${String(fields.id)}`;
  const { load_strategy: strategy, ...others } = fields;
  notes.rest(where, others, [...understood, "reload_triggers"]);
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => understood.includes(name)));
  if (known.type === "git_info" && known.command !== undefined) {
    notes.add(`${where} command`, known.command, "git is asked directly");
    delete known.command;
  }
  if (isForAgent(known)) {
    notes.add(
      where,
      fields,
      "its command is a sentence for the agent, which would be run as a program here; it is left out",
    );
    return [];
  }
  const path = typeof known.path === "string" ? statePath(known.path, where, notes) : undefined;
  const condition = typeof known.condition === "string" ? convertCondition(known.condition, where, notes) : undefined;
  const written = {
    ...known,
    ...(path !== undefined && { path }),
    ...(condition !== undefined && { condition }),
    ...loadOf(strategy, where, notes),
    reload_triggers: triggersOf(fields, phases, where, notes),
  };
  const parsed = CriticalArtifacts.safeParse({ always_load: [written] });
  const [artifact] = parsed.data?.always_load ?? [];
  if (artifact === undefined || !isSound(artifact)) {
    notes.add(where, fields, "it was not understood and is left out");
    return [];
  }
  const texts = JSON.stringify([path, condition, known.command]);
  for (const name of faberVariables) {
    if (texts.includes(`{${name}}`) || new RegExp(`\\bstate\\.${name}\\b`).test(texts)) used.add(name);
  }
  return [artifact];
}

/** FABER hands such a command to the agent, as a slash command or as a sentence. Only the first exists here. */
function isForAgent({ type, command }: FaberFields): boolean {
  if (type !== "skill" && type !== "work_plugin") return false;
  return typeof command === "string" && !command.trimStart().startsWith("/");
}

function loadOf(strategy: unknown, where: string, notes: Notes): object {
  if (strategy === "latest_only") return { latest: 1 };
  if (strategy === "summary") return { load: "summary" };
  if (strategy !== undefined) notes.add(`${where}.load_strategy`, strategy);
  return {};
}

/** Replaces the path of FABER's run state with the placeholder for ours. */
function statePath(path: string, where: string, notes: Notes): string {
  const ofRun = /(^|\/)\.fractary\/(faber\/)?runs\/\{(run|plan)_id\}\/state(-\{run_suffix\})?\.json$/;
  if (!ofRun.test(path)) return path;
  notes.add(`${where} path`, path, `${runStatePath} is the state of a run here`);
  return runStatePath;
}

/** The members of a run's state that conditions can read here. */
const stateMembers = [
  ...["run_id", "workflow", "status", "summary", "step", "phase", "variables", "artifacts", "artefacts", "steps"],
  ...["started_at", ...faberVariables],
];

/** Replaces FABER's names in a condition with ours; text in quotes stays, except for the words of a status. */
function convertCondition(condition: string, where: string, notes: Notes): string {
  const converted = condition
    .replace(
      /(\bstate\.status\s*[!=]==?\s*)(["'])(in_progress|completed)\2/g,
      (_, head: string, mark: string, word: string) => {
        return `${head}${mark}${word === "completed" ? "complete" : "running"}${mark}`;
      },
    )
    .replace(/\bstate\.current_phase\b/g, "state.phase.name")
    .replace(/\bstate\.workflow_id\b/g, "state.workflow");
  const outside = converted.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "");
  for (const [member, name = ""] of outside.matchAll(/\bstate\.([A-Za-z_]\w*)/g)) {
    if (!stateMembers.includes(name))
      notes.add(`${where} condition`, member, "a run has no such value here; it is null");
  }
  return converted;
}

function triggersOf(fields: FaberFields, phases: Phases, where: string, notes: Notes): string[] {
  const listed = notes.list(fields.reload_triggers, `${where} reload_triggers`);
  const kept = listed.flatMap((given): string[] => {
    const text = given === "compaction_detected" ? "compaction" : given;
    const trigger = typeof text === "string" ? parseTrigger(text) : null;
    const named = trigger === null ? [] : Object.values({ ...trigger, type: "" }).filter((name) => name !== "");
    const holds = trigger !== null && trigger.type !== "step-start" && named.every((name) => phases.has(name));
    if (holds && typeof text === "string") return [text];
    notes.add(`${where} trigger`, given, "there is no such trigger here");
    return [];
  });
  return kept.length === 0 ? ["manual"] : kept;
}

/** Whether the loader would accept the artifact's texts. */
function isSound({ condition, path_from_state: fromState, path = "" }: Artifact): boolean {
  const names: readonly string[] = pathNames;
  return (
    (condition === undefined || parseCondition(condition).ok) &&
    (fromState === undefined || parseMemberPath(fromState).ok) &&
    placeholdersOf(path).every(
      ({ source, name }) => names.includes(name) && (source !== runStatePath || path === source),
    )
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
