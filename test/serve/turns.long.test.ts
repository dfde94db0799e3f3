import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOfRun, longRun } from "../../bench/long-run.ts";
import { makeCrowd } from "../../bench/many-runs.ts";
import { writeRun } from "../../bench/project.ts";
import { createProject } from "../cli/program.ts";
import { type ServedProject, serveProject } from "./serving.ts";

const long = longRun(20_000);
let served: ServedProject;
let headers: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  const project = createProject();
  await makeCrowd({ folder: project.root, ended: 995, live: 5 });
  writeRun(join(project.root, ".holdfast/runs"), long.runId, eventsOfRun(long));
  served = await serveProject({}, null, project);
  // The start of its run has stored what it saw of the others.
  rmSync(join(project.root, ".holdfast/cache"), { recursive: true });
  headers = await served.enter();
});
afterAll(() => served.close());

/** What is answered first: something large, or something small that was asked for right after it. */
async function firstOf(path: string): Promise<string> {
  const ask = async (name: string, address: string) => {
    const { status } = await served.ask(address, { headers });
    expect([address, status]).toEqual([address, 200]);
    return name;
  };
  const large = ask("large", path);
  const first = await Promise.race([large, ask("small", "/api/me")]);
  await large;
  return first;
}

const about = () => `/api/projects/${served.id}`;

test("others are answered while thousands of runs are read for the first time", async () => {
  expect(await firstOf("/api/runs")).toBe("small");
});

test("others are answered while a long journal is read: for a moment of its past, its timeline, or its sessions", async () => {
  for (const path of [
    `/diff?run=${long.runId}&from=1&to=15000`,
    `/timeline?run=${long.runId}`,
    `/sessions?run=${long.runId}`,
  ]) {
    expect([path, await firstOf(`${about()}${path}`)]).toEqual([path, "small"]);
  }
});
