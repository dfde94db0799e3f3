import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../../src/app/operations.ts";
import { createCheckedJournal } from "../../../src/journal/checked-journal.ts";
import { readStored } from "../../../src/journal/stored-runs.ts";
import type { Deps } from "../../../src/operation/operation.ts";
import { cases } from "../../dose.ts";
import { createHosts } from "../continuity/hook-ports.ts";
import { makeWorld, type World } from "../world.ts";
import { crowdedWorld, index, indexed, liveIn, steps } from "./crowded-world.ts";

/** A new process that tells whose journals it reads. */
function watched(world: World): { readonly deps: Deps; readonly reads: string[] } {
  const { deps } = world.script();
  const reads: string[] = [];
  const { store } = deps;
  const seen: Deps["store"] = {
    ...store,
    read(run, from) {
      reads.push(run);
      return store.read(run, from);
    },
  };
  return { deps: { ...deps, store: seen, journal: createCheckedJournal(seen, deps.files) }, reads };
}

describe("among many ended runs", () => {
  it("the live one is found without reading the others", async () => {
    const { world } = await crowdedWorld();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    const { deps, reads } = watched(world);
    expect(await operations.status.run(deps, {})).toMatchObject({ ok: true, value: { runId } });
    expect(new Set(reads)).toEqual(new Set([runId]));
  });

  it("one that is reopened is found, by commands and by hooks", async () => {
    const { world, ended } = await crowdedWorld();
    const run = ended[7] ?? "";
    await world.person().ok("reopen", { run });
    expect(await world.script().ok("status")).toMatchObject({ runId: run, status: "running" });
    expect(await createHosts(world)().start("s1", "resume")).toMatchObject({ context: expect.stringContaining(run) });
  });

  it("one whose files were put back in place is found, by commands and by hooks", async () => {
    const { world } = await crowdedWorld();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    const backup = world.path("backup");
    cpSync(world.runFolder(runId), backup, { recursive: true });
    await world.person().ok("abort", { run: runId });
    await indexed(world, [runId]);
    expect(await liveIn(world)).toEqual([]);
    // Neither the folder of runs nor that of the run gets a new entry.
    for (const name of ["journal.jsonl", "snapshot.json"]) {
      writeFileSync(join(world.runFolder(runId), name), readFileSync(join(backup, name)));
    }
    expect(await world.script().ok("status")).toMatchObject({ runId, status: "running" });
    expect(await createHosts(world)().start("s2", "resume")).toMatchObject({ context: expect.stringContaining(runId) });
  });

  it("one that was removed and brought back as it was before its end is found", async () => {
    const { world } = await crowdedWorld();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    cpSync(world.runFolder(runId), world.path("backup"), { recursive: true });
    await world.person().ok("abort", { run: runId });
    await indexed(world, [runId]);
    rmSync(world.runFolder(runId), { recursive: true });
    cpSync(world.path("backup"), world.runFolder(runId), { recursive: true });
    expect(await world.script().ok("status")).toMatchObject({ runId, status: "running" });
  });

  it("a journal that was put back without its snapshot is still reported", async () => {
    const { world } = await crowdedWorld();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    const before = world.journal(runId);
    await world.person().ok("abort", { run: runId });
    await indexed(world, [runId]);
    writeFileSync(join(world.runFolder(runId), "journal.jsonl"), before);
    await expect(world.script().ok("status")).rejects.toThrow("was written before");
  });
});

describe("the index of runs", () => {
  it("counts for nothing if it was made elsewhere, so that a repository cannot hide or invent a run with it", async () => {
    const { world, ended } = await crowdedWorld();
    const other = makeWorld();
    other.workflow("own", steps);
    cpSync(world.path(".holdfast/runs"), other.path(".holdfast/runs"), { recursive: true });
    const [run = ""] = ended;
    await other.person().ok("reopen", { run });
    cpSync(world.path(index), other.path(index));
    expect(await liveIn(other)).toEqual([run]);
    const made = world.read(index).replaceAll(" E ", " L ").replaceAll('"aborted"', '"running"');
    writeFileSync(other.path(index), made);
    expect(await liveIn(other)).toEqual([run]);
  });

  it("counts for nothing if it has far more lines than there are runs", async () => {
    const { world, ended } = await crowdedWorld();
    const state = world.path(".holdfast");
    expect(readStored(state, ended.length).lines).toHaveLength(ended.length);
    const [heading = "", said = "", ...lines] = world.read(index).split("\n");
    const more = Array.from({ length: 2_000 }, () => lines[0] ?? "");
    const numbers = [...JSON.parse(said), ...more.flatMap(() => [1, 2, 3])];
    writeFileSync(world.path(index), [heading, JSON.stringify(numbers), ...more, ...lines].join("\n"));
    expect(readStored(state, ended.length).lines).toEqual([]);
    writeFileSync(world.path(index), [heading, `[${"1,".repeat(30_000)}1]`, ...lines].join("\n"));
    expect(readStored(state, ended.length).lines).toEqual([]);
  });

  it("is not needed where nothing can be written", async () => {
    const { world } = await crowdedWorld();
    rmSync(world.path(".holdfast/cache"), { recursive: true });
    world.write(".holdfast/cache", "in the way");
    chmodSync(world.path(".holdfast/cache"), 0o400);
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    expect(await liveIn(world)).toEqual([runId]);
  });

  it("is made only for many runs", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    await world.person().ok("abort", { run: runId });
    expect(existsSync(world.path(index))).toBe(false);
  });

  it("agrees with the journals, whatever happens to runs, files and the index itself", async () => {
    const { world, ended } = await crowdedWorld();
    const backup = world.path("backup");
    cpSync(world.path(".holdfast/runs"), backup, { recursive: true });
    const pick = (n: number) => ended[n % ended.length] ?? "";
    const acts: Readonly<Record<string, (run: string) => unknown>> = {
      start: () => world.agent("s1").ask("start", { workflow: "own", another: true }),
      abort: (run) => world.person().ask("abort", { run }),
      reopen: (run) => world.person().ask("reopen", { run }),
      remove: (run) => world.person().ask("rm", { run, yes: true }),
      restore: (run) => cpSync(join(backup, run), world.runFolder(run), { recursive: true }),
      save: (run) =>
        existsSync(world.runFolder(run)) && cpSync(world.runFolder(run), join(backup, run), { recursive: true }),
      look: () => world.script().ok("runs", {}),
      lose: () => rmSync(world.path(index), { force: true }),
    };
    const act = fc.record({ name: fc.constantFrom(...Object.keys(acts)), run: fc.nat(7) });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (list) => {
        for (const { name, run } of list) await acts[name]?.(pick(run));
        const known = await world.script().ok("runs", {});
        rmSync(world.path(index), { force: true });
        expect(known).toEqual(await world.script().ok("runs", {}));
      }),
      cases({ quick: 6, long: 150, soak: 1_500 }),
    );
  });
});
