import { join } from "node:path";
import { eventsOfRun, type LongRun, longRun } from "../../../bench/long-run.ts";
import { makeCrowd } from "../../../bench/many-runs.ts";
import { writeRun } from "../../../bench/project.ts";
import { createProject, type Project } from "../../cli/program.ts";

/** A project with many runs, and one of them with very many events. */
export interface LargeProject extends Project {
  readonly long: LongRun;
  /** How many runs there are in all. */
  readonly runs: number;
}

const harbours = ["Aarhus", "Bergen", "Cork", "Dover", "Esbjerg", "Funchal", "Gdansk", "Hamburg", "Ibiza", "Jersey"];
const works = ["Show the tides of", "Correct the depths of", "Draw the lights of", "Translate the notes on"];

export async function createLargeProject(): Promise<LargeProject> {
  const project = createProject("archipelago");
  const summaryOf = (n: number) => `${works[n % works.length]} ${harbours[n % harbours.length]}, part ${n}`;
  await makeCrowd({ folder: project.root, ended: 9_979, live: 20, summaryOf });
  const long = longRun(100_000);
  writeRun(join(project.root, ".holdfast/runs"), long.runId, eventsOfRun(long));
  return { ...project, long, runs: 10_000 };
}
