import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { noteAway, noteReached } from "../../src/store/reach.ts";
import type { Project } from "../cli/program.ts";
import { deliver, eventsOf, queueOf, sharedProject } from "./copied-project.ts";
import { session } from "./events.ts";
import { contextOf, runHook } from "./hook-program.ts";
import { startedProject } from "./run-project.ts";

let origin: Project;

beforeAll(async () => {
  origin = await startedProject();
});

it("a torn or foreign line in the queue costs nobody anything", async () => {
  const project = sharedProject(origin);
  writeFileSync(queueOf(project), '{"notice":{"type":"end-session"}}\n\0\0\nhalf a li');
  await runHook(project, "SessionStart", { session_id: session, source: "resume" });
  appendFileSync(queueOf(project), "0123456789abcdef {}\n");
  const { stdout } = await runHook(project, "Stop", { session_id: session, stop_hook_active: false });
  expect(stdout).toContain('"block"');
  await deliver(project);
  expect((await eventsOf(project)).map(({ type }) => type).slice(-2)).toEqual(["session-started", "usage-recorded"]);
});

it("what is remembered of the queue counts for nothing once it does not fit, or someone else wrote it", async () => {
  const project = sharedProject(origin);
  const memory = join(project.runFolder(), "after-notices.json");
  const compact = () => runHook(project, "SessionStart", { session_id: session, source: "compact" });
  await runHook(project, "PreCompact", { session_id: session, trigger: "auto" });
  const told = contextOf(await compact()).replace(/ id="[^"]*"/, "");
  const { of, outcome } = JSON.parse(readFileSync(memory, "utf8"));
  const changed = { ...outcome, summary: "Something else" };
  for (const text of [JSON.stringify({ of: `${of}0`, outcome: changed }), "{", JSON.stringify({ of, outcome: {} })]) {
    writeFileSync(memory, text);
    expect(contextOf(await compact()).replace(/ id="[^"]*"/, "")).toBe(told);
  }
  // It is what hooks go by as long as it does fit.
  writeFileSync(memory, JSON.stringify({ of, outcome: changed }));
  expect(contextOf(await compact())).toContain("Something else");
});

it("a queue that is full is said once, and the handoff arrives all the same", async () => {
  const project = sharedProject(origin);
  writeFileSync(queueOf(project), "x".repeat(512 * 1024));
  const starts = await runHook(project, "SessionStart", { session_id: session, source: "resume" });
  expect(contextOf(starts)).toContain("You are in the middle of a workflow.");
  expect(starts.answer.systemMessage).toContain("too many notices wait for the shared store");
});

it("as long as the last attempt to reach the store has failed, everything says as of when", async () => {
  const project = sharedProject(origin);
  const state = join(project.root, ".holdfast");
  const start = () => runHook(project, "SessionStart", { session_id: session, source: "resume" });
  const line = async () => {
    const input = JSON.stringify({ session_id: session, cwd: project.root });
    return (await project.bundled(["statusline"], { input })).stdout;
  };
  const asked = async () => [contextOf(await start()), (await start()).stdout, await line()];
  expect((await asked()).join()).not.toMatch(/as of/i);
  noteReached(state, "2026-01-02T10:00:30.000Z");
  noteAway(state, "2026-01-02T11:00:00.000Z", { code: "store-unreachable" });
  onTestFinished(() => noteReached(state, "2026-01-02T12:00:00.000Z"));
  expect(contextOf(await start())).toContain(
    "This is as of 2026-01-02 10:00 UTC: the shared store could not be reached.",
  );
  expect((await start()).answer.systemMessage).toContain(", as of 2026-01-02 10:00 UTC");
  expect(await line()).toContain(" · as of 2026-01-02 10:00 UTC");
  const status = await project.holdfast(["status"]);
  expect(status.stdout).toContain("This is as of 2026-01-02 10:00: the shared store could not be reached.");
  expect((await project.holdfast(["handoff"])).stdout).toContain("This is as of 2026-01-02 10:00 UTC");
  // Whoever could not log in is not told that the server is down.
  noteAway(state, "2026-01-02T11:30:00.000Z", { code: "store-refused" });
  const refused = "the shared store could not be used, as `holdfast store status` explains.";
  expect(contextOf(await start())).toContain(`This is as of 2026-01-02 10:00 UTC: ${refused}`);
  expect((await project.holdfast(["status"])).stdout).toContain("could not be used");
  noteReached(state, "2026-01-02T12:00:00.000Z");
  expect(`${await line()}${(await project.holdfast(["status"])).stdout}`).not.toMatch(/as of/i);
});
