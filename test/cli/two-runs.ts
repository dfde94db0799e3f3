import { createProject, type Project, twoSteps } from "./program.ts";

const other = twoSteps.replace("two-steps", "other");

interface Named {
  readonly project: Project;
  readonly first: string;
  readonly second: string;
}

/** A live run of each of two workflows. */
export async function twoRuns(): Promise<Named> {
  const project = createProject();
  project.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  project.write(".holdfast/workflows/other.yaml", other);
  const first = (await project.json(["start", "two-steps"])).value.runId;
  const second = (await project.json(["start", "other"])).value.runId;
  return { project, first, second };
}
