import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Deps } from "../../src/operation/operation.ts";
import { linesOf, makeFolder, type Project, startProject, writeLines } from "../store/project.ts";

let project: Project;
let remove: () => void;

beforeEach(async () => {
  const made = makeFolder();
  remove = made.remove;
  project = await startProject(made.folder);
});
afterEach(() => remove());

function snapshot(): string {
  return readFileSync(project.at("snapshot.json"), "utf8");
}

function version(): number {
  return JSON.parse(snapshot()).version;
}

/** Advances the run so many times, as a process that lives on. */
async function advance(deps: Deps, runId: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n++) await operations.advance.run(deps, { run: runId, output: "better" });
}

async function abort(): Promise<void> {
  await operations.abort.run(project.open(), { run: project.runId });
}

describe("a snapshot says at its very beginning", () => {
  test("whether the run has ended", async () => {
    await advance(project.open(), project.runId);
    expect(snapshot()).toMatch(/^\{"format":1,"ended":false,"version":2,/);
    await abort();
    expect(snapshot()).toMatch(/^\{"format":1,"ended":true,"version":3,/);
  });

  test("that the run goes on again, once a repair has cut off its end", async () => {
    const knowing = project.open();
    await abort();
    expect(isLiveNow(await knowing.journal.load(project.runId))).toBe(false);
    const lines = linesOf(project.journal);
    writeLines(project.journal, lines.with(-1, (lines.at(-1) ?? "").replace("by hand", "by foot")));
    expect(await operations.repair.run(project.open(), { run: project.runId })).toMatchObject({
      value: { repaired: true, lost: 1 },
    });
    expect(snapshot()).toMatch(/^\{"format":1,"ended":false,/);
    expect(isLiveNow(await knowing.journal.load(project.runId))).toBe(true);
    expect(await operations.status.run(knowing, {})).toMatchObject({ ok: true, value: { status: "running" } });
  });

  function isLiveNow(standing: Awaited<ReturnType<ReturnType<Project["open"]>["journal"]["load"]>>): boolean {
    return standing !== null && isLive(standing.run);
  }
});

describe("a process that lives on", () => {
  test("renews the snapshot by itself a moment after its last commit", async () => {
    await advance(project.open(), project.runId, 5);
    await expect.poll(version).toBe(6);
  });

  test("renews it at once when it is about to end", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 5);
    await deps.journal.settle();
    expect(version()).toBe(6);
  });

  test("does not put an older one in the place of what another process left", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 2);
    await advance(project.open(), project.runId);
    await deps.journal.settle();
    expect(version()).toBe(4);
  });

  test("leaves a newer one in place as a witness, though the journal was put back to where this process stands", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 2);
    const older = readFileSync(project.journal);
    await advance(project.open(), project.runId);
    writeFileSync(project.journal, older);
    await deps.journal.settle();
    expect(version()).toBe(4);
  });

  test("does not bring a run back that was removed", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 2);
    rmSync(dirname(project.journal), { recursive: true });
    await deps.journal.settle();
    expect(existsSync(dirname(project.journal))).toBe(false);
  });
});
