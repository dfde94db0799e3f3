import type { FaberFields, Notes } from "./notes.ts";

/**
 * Merges a workflow with those it extends, as FABER does: the steps before come from the root first, the steps after from
 * the workflow first, and of the main steps the nearest list counts. `chain` begins with the workflow itself.
 *
 * Unlike in FABER, approvals, prompts and artifacts of a base are kept: an import must not lose them.
 */
export function mergeFaber(chain: readonly FaberFields[], notes: Notes): FaberFields {
  const rootFirst = chain.toReversed();
  const [own = {}] = chain;
  const all = (key: string) => rootFirst.map((layer) => notes.map(layer[key], key));
  return {
    ...Object.assign({}, ...rootFirst),
    prompt: rootFirst.map(({ prompt }) => prompt),
    phases: mergePhases(all("phases"), notes.list(own.skip_steps, "skip_steps"), notes),
    autonomy: mergeAutonomy(all("autonomy"), notes),
    critical_artifacts: mergeArtifacts(all("critical_artifacts"), notes),
    context: mergeContext(all("context"), notes),
    result_handling: Object.assign({}, ...all("result_handling")),
    skip_steps: [],
  };
}

function mergePhases(layers: readonly FaberFields[], skip: readonly unknown[], notes: Notes): FaberFields {
  const names = new Set(layers.flatMap((phases) => Object.keys(phases)));
  const found = new Set<unknown>();
  const isSkipped = (step: unknown) => {
    const id: unknown = Object(step).id;
    if (skip.includes(id)) found.add(id);
    return skip.includes(id);
  };
  const merged = [...names].map((name) => {
    const phase = layers.map((phases) => notes.map(phases[name], `phases.${name}`));
    return [name, mergePhase(phase, `phases.${name}`, isSkipped, notes)];
  });
  for (const id of skip.filter((each) => !found.has(each))) notes.add("skip_steps", id, "no step has this id");
  return Object.fromEntries(merged);
}

/** `layers` are the definitions of one phase, from the root to the workflow itself. */
function mergePhase(
  layers: readonly FaberFields[],
  path: string,
  isSkipped: (step: unknown) => boolean,
  notes: Notes,
): FaberFields {
  const listsOf = (key: string) => layers.map((layer) => notes.list(layer[key], `${path}.${key}`));
  const steps = layers.findLast((layer) => layer.steps !== undefined && layer.steps !== null)?.steps;
  const kept = (list: readonly unknown[]) => list.filter((step) => !isSkipped(step));
  return {
    ...Object.assign({}, ...layers),
    pre_steps: kept(listsOf("pre_steps").flat()),
    steps: kept(notes.list(steps, `${path}.steps`)),
    post_steps: kept(listsOf("post_steps").toReversed().flat()),
    validation: [...new Set(listsOf("validation").flat())],
    result_handling: Object.assign(
      {},
      ...layers.map((layer) => notes.map(layer.result_handling, `${path}.result_handling`)),
    ),
  };
}

/** The nearest level counts; approvals of every level do. */
function mergeAutonomy(layers: readonly FaberFields[], notes: Notes): FaberFields {
  const asked = layers.flatMap(({ require_approval_for: before }) => {
    return typeof before === "string" ? [before] : notes.list(before, "autonomy.require_approval_for");
  });
  return { ...Object.assign({}, ...layers), require_approval_for: [...new Set(asked)] };
}

/** An artifact replaces one of a base with the same id. */
function mergeArtifacts(layers: readonly FaberFields[], notes: Notes): FaberFields {
  const merged = (key: string) => {
    const items = layers.flatMap((layer) => notes.list(layer[key], `critical_artifacts.${key}`));
    return items.filter((item, index) => !items.slice(index + 1).some((later) => isSameArtifact(item, later)));
  };
  const specific = layers.map((layer) => notes.map(layer.phase_specific, "critical_artifacts.phase_specific"));
  return {
    ...Object.assign({}, ...layers),
    always_load: merged("always_load"),
    conditional_load: merged("conditional_load"),
    phase_specific: Object.assign({}, ...specific),
  };
}

function isSameArtifact(one: unknown, other: unknown): boolean {
  const id: unknown = Object(one).id;
  return id !== undefined && id === Object(other).id;
}

/** Context of a base comes first; for a step the nearest counts. */
function mergeContext(layers: readonly FaberFields[], notes: Notes): FaberFields {
  const maps = (key: string) => layers.map((layer) => notes.map(layer[key], `context.${key}`));
  const phases = new Map<string, unknown[]>();
  for (const [phase, text] of maps("phases").flatMap((layer) => Object.entries(layer))) {
    phases.set(phase, [...(phases.get(phase) ?? []), text]);
  }
  return {
    ...Object.assign({}, ...layers),
    global: layers.flatMap(({ global }) => (global === undefined ? [] : [global])),
    phases: Object.fromEntries(phases),
    steps: Object.assign({}, ...maps("steps")),
  };
}
