import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LiveStanding } from "../../journal/run-journal.ts";
import { glanceOf } from "../../journal/stored-runs.ts";
import { type Deps, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { isLiveGlance, loadLive, surveyRuns } from "../runs/choose-run.ts";
import { type PersonWait, waitOfVisit } from "../runs/person-wait.ts";
import { type RunRow, rowOf } from "./list-runs.ts";

/** What a person wants to know first when they come back to a project. */
export interface ProjectGlance {
  /** Whether Holdfast was ever used here. */
  readonly isProject: boolean;
  readonly live: readonly LiveRow[];
  readonly ended: number;
  readonly damaged: number;
  /** Runs that came with the repository, which are not used. */
  readonly tracked?: number;
}

export interface LiveRow extends RunRow {
  readonly waitsFor: PersonWait | null;
}

export async function showProject(deps: Deps): Promise<Outcome<ProjectGlance>> {
  const isProject = existsSync(join(deps.roots.stateRoot, stateFolder));
  if (!isProject) return yes({ isProject, live: [], ended: 0, damaged: 0 });
  const { glances, damaged } = await surveyRuns(deps);
  const ended = glances.filter(({ endedAt }) => endedAt !== null).length;
  const standings = await loadLive(deps, glances.filter(isLiveGlance));
  const live = standings.map((standing) => ({ ...rowOf(glanceOf(standing)), waitsFor: waitOf(standing) }));
  const tracked = damaged.filter(({ error }) => error.code === "run-tracked").length;
  const unreadable = { damaged: damaged.length - tracked, ...(tracked > 0 && { tracked }) };
  return yes({ isProject, live, ended, ...unreadable });
}

function waitOf({ run }: LiveStanding): PersonWait | null {
  if (run.status === "paused") return { type: "resume" };
  for (const visit of run.visits) {
    const wait = waitOfVisit(run, visit);
    if (wait !== null) return wait;
  }
  return null;
}
