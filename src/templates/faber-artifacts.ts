import { type Artifact, CriticalArtifacts } from "../model/artifact.ts";
import { parseCondition } from "../model/condition/condition.ts";
import { parseMemberPath } from "../model/condition/member-path.ts";
import { pathNames, placeholdersOf, runStatePath } from "../model/path-text.ts";
import { parseTrigger } from "../model/trigger.ts";
import type { Notes } from "./faber-notes.ts";
import { fieldsOf } from "./outline.ts";

type Fields = Readonly<Record<string, unknown>>;
type Phases = ReadonlySet<string>;

/** Converts FABER's critical artifacts; notes each one that cannot be expressed. */
export function artifactsFromFaber(value: unknown, phases: Phases, notes: Notes): object | null {
  const { always_load: always, conditional_load: conditional, phase_specific: specific, ...rest } = fieldsOf(value);
  notes.rest("critical_artifacts", rest, []);
  const take = (items: readonly unknown[]) => items.flatMap((item) => artifactOf(fieldsOf(item), phases, notes));
  const inPhases = Object.entries(fieldsOf(specific)).flatMap(([phase, items]) =>
    listOf(items).map((item) => withTrigger(fieldsOf(item), `phase_start:${phase}`)),
  );
  const taken = { always_load: take([...listOf(always), ...inPhases]), conditional_load: take(listOf(conditional)) };
  const filled = Object.entries(taken).filter(([, items]) => items.length > 0);
  return filled.length === 0 ? null : Object.fromEntries(filled);
}

function withTrigger(fields: Fields, trigger: string): Fields {
  return { ...fields, reload_triggers: [trigger, ...listOf(fields.reload_triggers)] };
}

const understood = ["id", "type", "path", "path_from_state", "command", "description", "required", "condition"];

function artifactOf(fields: Fields, phases: Phases, notes: Notes): Artifact[] {
  const where = `artifact ${String(fields.id)}`;
  notes.rest(where, fields, [...understood, "reload_triggers"]);
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => understood.includes(name)));
  if (known.type === "git_info" && known.command !== undefined) {
    notes.add(`${where} command`, known.command, "git is asked directly");
    delete known.command;
  }
  const path = typeof known.path === "string" ? statePath(known.path, where, notes) : undefined;
  const triggers = triggersOf(fields, phases, where, notes);
  const written = { ...known, ...(path !== undefined && { path }), reload_triggers: triggers };
  const parsed = CriticalArtifacts.safeParse({ always_load: [written] });
  const [artifact] = parsed.data?.always_load ?? [];
  if (artifact !== undefined && isSound(artifact)) return [artifact];
  notes.add(where, fields, "it was not understood and is left out");
  return [];
}

/** Replaces the path of FABER's run state with the placeholder for ours. */
function statePath(path: string, where: string, notes: Notes): string {
  if (!/(^|\/)\.fractary\/(faber\/)?runs\/\{run_id\}\/state\.json$/.test(path)) return path;
  notes.add(`${where} path`, path, `${runStatePath} is the state of a run here`);
  return runStatePath;
}

function triggersOf(fields: Fields, phases: Phases, where: string, notes: Notes): string[] {
  const kept = listOf(fields.reload_triggers).filter((text): text is string => {
    const trigger = typeof text === "string" ? parseTrigger(text) : null;
    const named = trigger === null ? [] : Object.values({ ...trigger, type: "" }).filter((name) => name !== "");
    const holds = trigger !== null && trigger.type !== "step-start" && named.every((name) => phases.has(name));
    if (!holds) notes.add(`${where} trigger`, text, "there is no such trigger here");
    return holds;
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
