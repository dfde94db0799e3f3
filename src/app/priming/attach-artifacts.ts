import { renderArtifacts } from "../../artifacts/budget.ts";
import { inspectArtifact } from "../../artifacts/inspect-artifact.ts";
import { loadArtifact } from "../../artifacts/load-artifact.ts";
import type { Moment } from "../../artifacts/plan-loading.ts";
import { loadedBy } from "../../engine/evolve/evolve-sessions.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Artifact } from "../../model/artifact.ts";
import type { RunEvent } from "../../model/event.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, type No, no } from "../../operation/operation.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { changeRun } from "../runs/change-run.ts";
import type { Reply } from "../runs/reply.ts";
import type { ResolvedAdvance } from "../runs/resolve-advance.ts";
import { allowanceOf } from "./allowance.ts";
import { type Loading, loadTriggered, planTriggered, recordsOf } from "./load-artifacts.ts";
import { momentsBehind, momentsOf } from "./moments.ts";
import { artifactsOf } from "./plan-artifacts.ts";

/** How many characters of artifacts a reply may carry beside its instructions. */
const longestText = 20_000;

export interface Moved {
  readonly standing: Standing;
  readonly events: readonly RunEvent[];
}

/** Adds the artifacts that a move triggers. Starting a run also counts as the start of its session. */
export async function attachAfterMove(
  deps: Deps,
  template: Template,
  before: Standing | null,
  { standing, events }: Moved,
  reply: Reply,
): Promise<Reply> {
  // A compaction or clear would lose them again; the call after it loads them.
  if ("contextAction" in reply) return reply;
  const moments = () => {
    const moves = momentsOf(template, before?.run.last?.step ?? null, events);
    return before === null ? [{ type: "session_start" } as const, ...moves] : moves;
  };
  const text = await loadOrExplain(deps, template, standing, { moments, which: () => true });
  return text === undefined ? reply : { ...reply, artifacts: text };
}

/** Adds the artifacts that were triggered on the way here and that this session has not loaded yet. */
export async function attachDue(deps: Deps, template: Template, standing: Standing, reply: Reply): Promise<Reply> {
  const { session } = deps.caller;
  const { run } = standing;
  if ("contextAction" in reply || session === undefined || !isLive(run)) return reply;
  const loaded = loadedBy(run, session);
  const text = await loadOrExplain(deps, template, standing, {
    moments: () => momentsBehind(template, run, reply.step),
    which: ({ id }) => !Object.hasOwn(loaded, id),
  });
  return text === undefined ? reply : { ...reply, artifacts: text };
}

/** Refuses to end a visit whose required artifacts are missing or cannot be loaded. */
export async function refuseMissing(deps: Deps, { standing, frozen, visit }: ResolvedAdvance): Promise<No | null> {
  if (visit === null) return null;
  const { template } = frozen;
  const moments = () => momentsBehind(template, standing.run, visit.place.step);
  const loading = await loadingOf(deps, template, standing, { moments, which: ({ required }) => required === true });
  if (loading === null) return null;
  const { plan, world } = planTriggered({ ...loading, force: true });
  for (const planned of plan) {
    if (planned.status === "skip") continue;
    const { id: artifact } = planned.artifact;
    if (planned.status === "refuse")
      return no({ code: "artifact-missing", artifact, path: null, problem: planned.problem });
    const inspected = inspectArtifact(planned.artifact, world);
    // A file that is there may still be unreadable, no text, or not the JSON that it should be.
    const found = inspected.status === "there" ? await loadArtifact(planned.artifact, world) : inspected;
    if (found.status !== "missing" && found.status !== "refused") continue;
    return no({ code: "artifact-missing", artifact, path: found.path, problem: found.problem });
  }
  return null;
}

interface Wanted {
  moments(): readonly Moment[];
  which(artifact: Artifact): boolean;
}

/** A failure to load must not hold back the instructions: the move has already been made. */
async function loadOrExplain(
  deps: Deps,
  template: Template,
  standing: Standing,
  wanted: Wanted,
): Promise<string | undefined> {
  try {
    return await loadText(deps, template, standing, wanted);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return `Critical artifacts were not loaded: ${error.message}`;
  }
}

/** Loads the artifacts and records them; undefined when there is nothing to show. */
async function loadText(
  deps: Deps,
  template: Template,
  standing: Standing,
  wanted: Wanted,
): Promise<string | undefined> {
  const loading = await loadingOf(deps, template, standing, wanted);
  if (loading === null) return undefined;
  const loaded = await loadTriggered(loading);
  const { text, artifacts } = renderArtifacts(loaded.loaded, longestText);
  const { session } = loading;
  const records = recordsOf(artifacts, loaded);
  await changeRun(deps, standing, template, { command: { type: "note-artifacts", session, artifacts: records } });
  return text === "" ? undefined : text;
}

/** Null when there is nothing to load, so that a workflow without artifacts pays nothing. */
async function loadingOf(deps: Deps, template: Template, { run }: Standing, wanted: Wanted): Promise<Loading | null> {
  const { roots, caller } = deps;
  const { settings } = await findSettings(roots.stateRoot);
  if (template.critical_artifacts === undefined && settings.artifacts.length === 0) return null;
  const only = artifactsOf(template, settings.artifacts)
    .filter(wanted.which)
    .map(({ id }) => id);
  const moments = only.length === 0 ? [] : wanted.moments();
  if (!isLive(run) || moments.length === 0) return null;
  const allowance = await allowanceOf(deps, template, run);
  return { roots, template, run, shared: settings.artifacts, moments, session: caller.session, only, allowance };
}
