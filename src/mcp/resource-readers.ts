import { operations } from "../app/operations.ts";
import { wordRefusal } from "../model/refusal/refusal.ts";
import { reveal, visibleJson } from "../model/written/unseen-text.ts";
import type { Deps, Outcome } from "../operation/operation.ts";

/** The content of a resource, or why there is none. */
export type ResourceText<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** Readers of the resources. All of them are read-only. */
export interface ResourceReaders {
  status(run: string): Promise<ResourceText<string>>;
  journal(run: string): Promise<ResourceText<string>>;
  handoff(run: string): Promise<ResourceText<string>>;
  workflow(name: string): Promise<ResourceText<string>>;
  runs(): Promise<ResourceText<readonly string[]>>;
  workflows(): Promise<ResourceText<readonly string[]>>;
}

export function createResourceReaders(deps: Deps): ResourceReaders {
  return {
    status: async (run) => show(await operations.status.run(deps, { run }), jsonOf),
    journal: async (run) => show(await operations.log.run(deps, { run }), ({ events }) => linesOf(events)),
    handoff: async (run) => show(await operations.handoff.run(deps, { run }), ({ text }) => text),
    workflow: async (workflow) => show(await operations.graph.run(deps, { workflow }), jsonOf),
    runs: async () => show(await operations.runs.run(deps, {}), ({ runs }) => runs.map(({ runId }) => runId)),
    workflows: async () =>
      show(await operations.list.run(deps, {}), ({ workflows }) => workflows.map(({ name }) => name)),
  };
}

function linesOf(events: readonly object[]): string {
  return events.map((event) => `${jsonOf(event)}\n`).join("");
}

function jsonOf(value: object): string {
  return visibleJson(JSON.stringify(value));
}

function show<T, Shown>(outcome: Outcome<T>, as: (value: T) => Shown): ResourceText<Shown> {
  if (outcome.ok) return { ok: true, value: as(outcome.value) };
  const { message, next } = wordRefusal(outcome.refusal, "mcp");
  return { ok: false, problem: reveal(`${message}; ${next}`) };
}
