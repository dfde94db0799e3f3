import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../../app/compose.ts";
import { operations } from "../../app/operations.ts";
import { findUser, type User } from "../../project/find-user.ts";
import type { Io } from "../terminal/io.ts";

/** A temporary project with one run. */
export interface Sample {
  readonly folder: string;
  readonly runId: string;
}

const workflow = `name: holdfast-doctor
description: A sample to try hooks on
steps:
  - { id: look, type: action, instructions: "Look at the sample" }
  - { id: tell, type: action, instructions: "Tell what it shows" }
`;

/** Hooks run in this project, so that they leave nothing in the user's runs, state cards and sessions. */
export async function withSample<T>({ env }: Io, act: (sample: Sample) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-doctor-")));
  try {
    return await act({ folder, runId: await startSample(folder, findUser(env)) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startSample(folder: string, user: User): Promise<string> {
  // A state folder makes it a project of its own, even inside another project.
  mkdirSync(join(folder, ".holdfast/runs"), { recursive: true });
  const file = join(folder, "holdfast-doctor.yaml");
  writeFileSync(file, workflow);
  const nobody = { as: undefined, confirm: undefined, progress: undefined, signal: undefined };
  const nowhere = { isTerminal: false, surroundings: () => ({ terminal: null, ancestors: [] }) };
  const deps = { ...compose(folder, { env: {}, session: undefined, face: "cli", ...nowhere, ...nobody }), user };
  const started = await operations.start.run(deps, { workflow: file, summary: "A sample" });
  if (!started.ok) throw new Error(`the sample run cannot be started: ${started.refusal.code}`);
  await deps.journal.settle();
  return started.value.runId;
}
