import { createProject, type Project } from "./program.ts";

/** The seed's phases, each with one step. */
export const phases = ["frame", "architect", "build", "evaluate", "release"] as const;

const steps = phases.map((id) => `  - { id: ${id}, type: action, instructions: Do ${id} }`).join("\n");

export interface ListedArtifacts {
  readonly always?: readonly string[];
  readonly conditional?: readonly string[];
}

/** A workflow of these phases with these artifacts, each as one flow map of YAML. */
export function faber({ always = [], conditional = [] }: ListedArtifacts, name = "faber"): string {
  const list = (key: string, items: readonly string[]) =>
    items.length === 0 ? "" : `  ${key}:\n${items.map((item) => `    - { ${item} }`).join("\n")}\n`;
  const lists = `${list("always_load", always)}${list("conditional_load", conditional)}`;
  const artifacts = lists === "" ? "" : `critical_artifacts:\n${lists}`;
  return `name: ${name}\ndescription: The seed's phases\nvariables: { plan_id: "7", work_id: "258" }\n${artifacts}steps:\n${steps}\n`;
}

/** The artifacts of the seed's own example. */
const seedArtifacts: ListedArtifacts = {
  always: [
    'id: workflow-state, type: json, path: "{run_state}", description: where we are, required: true, reload_triggers: [session_start, phase_transition]',
    'id: workflow-plan, type: json, path: "plans/{plan_id}.json", description: the plan, required: true, reload_triggers: [session_start]',
    "id: protocol, type: markdown, path: docs/protocol.md, description: how we work, required: true, reload_triggers: [session_start]",
  ],
  conditional: [
    'id: specification, type: markdown, path_from_state: artifacts.spec_path, condition: "state.artifacts.spec_path != null", description: the spec, required: false, reload_triggers: [session_start, "phase_transition:architect->build"]',
  ],
};

/** A project with that workflow, and with what the seed's artifacts are read from. */
export function faberProject(artifacts: ListedArtifacts = seedArtifacts): Project {
  const project = createProject();
  project.write(".holdfast/workflows/faber.yaml", faber(artifacts));
  project.write("plans/7.json", '{"goal":"a plan of two parts"}');
  project.write("docs/protocol.md", "# Protocol\n\nOne step at a time.\n");
  project.write("specs/258.md", "# Specification\n\nThe button is blue.\n");
  return project;
}

/** The calls of one session. */
export function by(session: string): { readonly env: Readonly<Record<string, string>> } {
  return { env: { HOLDFAST_SESSION: session } };
}

/** What became of each artifact of a priming. */
export function statuses(value: { readonly artifacts: readonly { readonly id: string; readonly status: string }[] }) {
  return Object.fromEntries(value.artifacts.map(({ id, status }) => [id, status]));
}
