/**
 * Every field of a template by which Holdfast executes something or grants something to an agent. A person's trust
 * covers these, and nothing else: the rest is prose. The schema marks them, trust shows them, and a gate or a step executes only
 * what trust shows.
 *
 * In a path, `[]` is each entry of a list and `{}` each entry of a map.
 */
export const coveredFields = [
  { path: "steps[].run", kind: "step" },
  { path: "steps[].run.command", kind: "step" },
  { path: "steps[].tasks.run", kind: "tasks" },
  { path: "steps[].tasks.run.command", kind: "tasks" },
  { path: "steps[].gate[].run", kind: "gate" },
  { path: "steps[].gate[].command", kind: "gate" },
  { path: "loops{}[].gate[].run", kind: "gate" },
  { path: "loops{}[].gate[].command", kind: "gate" },
  { path: "steps[].until[].run", kind: "until" },
  { path: "steps[].until[].command", kind: "until" },
  { path: "critical_artifacts.always_load[].command", kind: "artifact" },
  { path: "critical_artifacts.conditional_load[].command", kind: "artifact" },
  { path: "variables{}.default", kind: "variable" },
  { path: "agents{}.tools", kind: "tools" },
  { path: "steps[].tools", kind: "tools" },
  { path: "loops{}[].tools", kind: "tools" },
  { path: "agents{}.permissions", kind: "permissions" },
  { path: "steps[].permissions", kind: "permissions" },
  { path: "loops{}[].permissions", kind: "permissions" },
  { path: "agents{}.model", kind: "model" },
  { path: "steps[].model", kind: "model" },
  { path: "loops{}[].model", kind: "model" },
] as const satisfies readonly { readonly path: string; readonly kind: string }[];

export type CoveredField = (typeof coveredFields)[number];
export type CoveredKind = CoveredField["kind"];

/** How long a command may take if its template does not say; for that of an artifact it cannot. */
export const timeouts = { command: "10m", artifact: "30s" } as const;

/** The parts of a path: names, `[]` and `{}`. */
export function pathSteps(path: string): readonly string[] {
  return path.match(/\[\]|\{\}|[a-z_]+/g) ?? [];
}
