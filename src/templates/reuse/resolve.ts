import { withoutEmptyParts } from "../load.ts";
import type { Finding } from "../problem.ts";
import { type Applied, applyChange } from "./apply-change.ts";
import type { Layer } from "./chain.ts";
import type { Located } from "./located.ts";
import { mergeWorkflow } from "./merge.ts";
import type { Change } from "./read-changes.ts";

/** One thing that a file does to what it extends: it merges its own keys into it, or makes one change. */
export interface Edit {
  readonly layer: number;
  /** Null for the merge. */
  readonly change: Change | null;
}

export interface Resolved {
  readonly workflow: Located;
  /** What is wrong with the changes themselves, with paths in the file that makes them. */
  readonly findings: readonly { readonly layer: number; readonly finding: Finding }[];
}

/** Everything that is done to the last layer, in order, to get the workflow. */
export function editsOf(layers: readonly Layer[]): Edit[] {
  const extending = layers.map((layer, index) => ({ changes: layer.changes, layer: index })).slice(0, -1);
  return extending
    .reverse()
    .flatMap(({ layer, changes }) => [{ layer, change: null }, ...changes.map((change) => ({ layer, change }))]);
}

/** The last layer after these edits. */
export function resolve(layers: readonly Layer[], edits: readonly Edit[]): Resolved {
  const removed = new Set<string>();
  let workflow = locate(layers, layers.length - 1);
  const findings: Resolved["findings"][number][] = [];
  for (const { layer, change } of edits) {
    const edited: Applied =
      change === null
        ? { workflow: mergeWorkflow(workflow, locate(layers, layer)), findings: [] }
        : applyChange({ workflow, base: String(layers[layer]?.fields.extends), removed }, layer, change);
    if (change?.type === "remove") removed.add(change.target);
    workflow = edited.workflow;
    findings.push(...edited.findings.map((finding) => ({ layer, finding })));
  }
  return { workflow, findings };
}

function locate(layers: readonly Layer[], layer: number): Located {
  const { extends: _base, change: _change, ...value } = withoutEmptyParts(layers[layer]?.fields ?? {});
  return { value, origin: { layer, path: [] } };
}
