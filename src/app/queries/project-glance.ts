import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { LiveStanding } from "../../journal/run-journal.ts";
import { glanceOf } from "../../journal/stored-runs.ts";
import { isActionOpen, openQuestion, waitsForApproval } from "../../model/run-state.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { isLiveGlance, loadLive, surveyRuns } from "../runs/choose-run.ts";
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

/** What a run waits for a person to do. */
export type PersonWait =
  | { readonly type: "approval" | "review" | "decision" | "resume" }
  | { readonly type: "answer"; readonly question: string }
  | { readonly type: "context-action"; readonly action: string };

export const showProject = defineOperation({
  summary: "What is live in this project, and what waits for a person.",
  input: z.strictObject({}),
  async run(deps): Promise<Outcome<ProjectGlance>> {
    const isProject = existsSync(join(deps.roots.stateRoot, stateFolder));
    if (!isProject) return yes({ isProject, live: [], ended: 0, damaged: 0 });
    const { glances, damaged } = await surveyRuns(deps);
    const ended = glances.filter(({ endedAt }) => endedAt !== null).length;
    const standings = await loadLive(deps, glances.filter(isLiveGlance));
    const live = standings.map((standing) => ({ ...rowOf(glanceOf(standing)), waitsFor: waitOf(standing) }));
    const tracked = damaged.filter(({ error }) => error.code === "run-tracked").length;
    const unreadable = { damaged: damaged.length - tracked, ...(tracked > 0 && { tracked }) };
    return yes({ isProject, live, ended, ...unreadable });
  },
});

function waitOf({ run }: LiveStanding): PersonWait | null {
  if (run.status === "paused") return { type: "resume" };
  for (const visit of run.visits) {
    if (visit.review !== null) return { type: "review" };
    if (visit.pending !== undefined) return { type: "decision" };
    if (waitsForApproval(visit)) return { type: "approval" };
    const question = openQuestion(run, visit.token);
    if (question !== null) return { type: "answer", question: question.text };
    if (isActionOpen(visit)) return { type: "context-action", action: visit.action.name };
  }
  return null;
}
