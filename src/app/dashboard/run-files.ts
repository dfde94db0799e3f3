import * as z from "zod";
import type { Standing } from "../../journal/run-journal.ts";
import { isLive } from "../../model/run-state.ts";
import { todoItems } from "../../model/todo.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import type { ArtifactState, RunFiles } from "../../serve/contract/run-answers.ts";
import { allowanceOf } from "../priming/allowance.ts";
import { type ArtifactRow, skipReasons } from "../priming/artifact-row.ts";
import { planRows } from "../priming/plan-rows.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { ownRootOf } from "../runs/reply.ts";
import { readListState } from "../todo/show-list.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export const showRunFiles = defineOperation({
  summary: "A run's todo list, and its critical artifacts compared with what the model was given.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<RunFiles>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId, artefacts } = chosen.value.run;
    const artifacts = await artifactStates(deps, chosen.value);
    return yes({ runId, todo: todoOf(deps, chosen.value), artifacts, registered: artefacts });
  },
});

function todoOf(deps: Deps, standing: Standing): RunFiles["todo"] {
  const { run } = standing;
  if (run.todo === null) return null;
  const root = ownRootOf(deps, standing);
  const state = root === null ? null : readListState(root, run);
  const none = { file: run.todo.file, items: [], isEdited: false };
  switch (state?.type) {
    case undefined:
      return { ...none, problem: "the run's worktree is gone" };
    case "list":
      return { file: state.list.file, items: todoItems(state.list.list), isEdited: state.list.edited, problem: null };
    case "gone":
      return { ...none, problem: `${state.file} is gone or belongs to another run` };
    case "unreadable":
      return { ...none, problem: `${state.file} cannot be read: ${state.problem}` };
  }
}

async function artifactStates(deps: Deps, { run }: Standing): Promise<RunFiles["artifacts"]> {
  if (!isLive(run)) return null;
  const { template } = await readFrozen(deps, run);
  const { settings } = await findSettings(deps.roots.stateRoot);
  const rows = await planRows({
    ...{
      roots: deps.roots,
      template,
      run,
      shared: settings.artifacts,
      allowance: await allowanceOf(deps, template, run),
    },
    session: run.priming.epoch?.session,
    moments: [{ type: "manual" }],
  });
  const loaded = new Map(run.priming.loaded.map((each) => [each.id, each.at]));
  return rows.map((row) => {
    const loadedAt = loaded.get(row.id) ?? null;
    const state = stateOf(row, loadedAt !== null);
    return {
      id: row.id,
      path: row.path,
      bytes: row.bytes,
      state,
      loadedAt,
      note: state === "missing" ? row.note : null,
    };
  });
}

function stateOf({ status, note }: ArtifactRow, isLoaded: boolean): ArtifactState["state"] {
  if (status === "missing" || status === "unavailable" || status === "refused") return "missing";
  if (status === "skipped" && note === skipReasons.unchanged) return "fresh";
  return isLoaded && status === "would load" ? "changed" : "not-loaded";
}
