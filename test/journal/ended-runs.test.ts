import { renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import { createRunIndex } from "../../src/journal/run-index.ts";
import type { Deps } from "../../src/operation/operation.ts";
import type { Store } from "../../src/store/store.ts";
import { makeWorld } from "../app/world.ts";

const steps = "steps: [{ id: one, type: action, instructions: One }, { id: two, type: action, instructions: Two }]";

/** The same world, with a list of the runs that are looked at. */
function watched(deps: Deps): { deps: Deps; looks: string[] } {
  const looks: string[] = [];
  const look = (run: string) => {
    looks.push(run);
    return run;
  };
  const { store } = deps;
  const seen: Store = {
    ...store,
    isStillAt: (run, last) => store.isStillAt(look(run), last),
    read: (run, from) => store.read(look(run), from),
  };
  const index = createRunIndex(join(deps.roots.stateRoot, ".holdfast"));
  return { deps: { ...deps, store: seen, journal: createCheckedJournal(seen, deps.files), index }, looks };
}

describe("a process that has seen runs end", () => {
  it("does not look at them again for a session that sits in another", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const agent = world.agent("s1");
    for (let n = 0; n < 3; n++) {
      const { runId } = await agent.ok("start", { workflow: "own" });
      await world.person().ok("abort", { run: runId });
    }
    const { runId } = await agent.ok("start", { workflow: "own" });
    const { deps, looks } = watched(agent.deps);
    expect(await operations.next.run(deps, {})).toMatchObject({ ok: true, value: { runId } });
    expect(new Set(looks).size).toBe(4);
    looks.length = 0;
    expect(await operations.next.run(deps, {})).toMatchObject({ ok: true, value: { runId } });
    expect(new Set(looks)).toEqual(new Set([runId]));
  });

  it("finds one that a repair has revived, for a session that sits in it", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "own" });
    await world.person().ok("abort", { run: runId });
    expect(await agent.ok("next")).toMatchObject({ runId, status: "aborted" });
    const journal = `.holdfast/runs/${runId}/journal.jsonl`;
    world.write(journal, world.journal(runId).replace("aborted by hand", "aborted by foot"));
    await world.person().ok("repair", { run: runId });
    expect(await agent.ok("next")).toMatchObject({ runId, token: "one#1" });
  });
});

describe("a workflow's file that has long been looked at", () => {
  it("is looked at again when it changes, also to one of the same length and the same time", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const file = world.path(".holdfast/workflows/own.yaml");
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    // What has just changed is read every time; after this it is not.
    await setTimeout(200);
    for (let n = 0; n < 2; n++) expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    const { atime, mtime } = statSync(file);
    world.workflow("own", steps.replace("Two", "Owt"));
    utimesSync(file, atime, mtime);
    expect(await agent.ok("status")).toMatchObject({ driftedTemplate: true });
    world.workflow("own", steps);
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
  });

  it("does not count once it is gone, and counts again when it is back", async () => {
    const world = makeWorld();
    world.workflow("own", steps.replace("Two", "Other"));
    const file = world.path(".holdfast/workflows/own.yaml");
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    world.workflow("own", steps);
    await setTimeout(200);
    for (let n = 0; n < 2; n++) expect(await agent.ok("status")).toMatchObject({ driftedTemplate: true });
    renameSync(file, `${file}.away`);
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    await setTimeout(200);
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    renameSync(`${file}.away`, file);
    expect(await agent.ok("status")).toMatchObject({ driftedTemplate: true });
  });
});
