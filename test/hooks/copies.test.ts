import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compose } from "../../src/app/compose.ts";
import { deliverQueued } from "../../src/app/continuity/ports/deliver-notices.ts";
import type { HookEventName } from "../../src/hosts/contract/contract.ts";
import { markCopy, unmarkCopy } from "../../src/store/copy-mark.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { noteReached, noteUnreachable } from "../../src/store/reach.ts";
import { readAll } from "../../src/store/store.ts";
import type { Project } from "../cli/program.ts";
import { callerOf } from "../store/project.ts";
import { session } from "./events.ts";
import { contextOf, type HookEnded, runHook } from "./hook-program.ts";
import { copyOf, startedProject } from "./run-project.ts";

let origin: Project;
/** A project without a shared store, and what its hooks have said. */
let files: Project;
let saidThere: readonly HookEnded[];
let server: Server;
let connections = 0;
let listening: number;

beforeAll(async () => {
  origin = await startedProject();
  files = copyOf(origin);
  saidThere = await tell(files);
  // It accepts, and answers when a person has long given up.
  server = createServer((socket) => {
    connections += 1;
    const timer = setTimeout(() => socket.end(), 5_000);
    socket.on("close", () => clearTimeout(timer)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  listening = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const runsOf = (project: Project) => join(project.root, ".holdfast/runs");
const runOf = (project: Project) => basename(project.runFolder());
const queueOf = (project: Project) => join(project.runFolder(), "notices.jsonl");

/** The same project on a machine that has only a copy of the run. */
function sharedProject(): Project {
  const project = copyOf(origin);
  markCopy(runsOf(project), runOf(project), { project: "team" });
  return project;
}

/** A conversation that is compacted, writes a file, stops and ends; another one takes its place after a clear. */
const story: readonly (readonly [HookEventName, Readonly<Record<string, unknown>>])[] = [
  ["SessionStart", { session_id: session, source: "startup" }],
  ["PreCompact", { session_id: session, trigger: "auto" }],
  ["SessionStart", { session_id: session, source: "compact" }],
  ["PostCompact", { session_id: session, trigger: "auto", compact_summary: "We talked." }],
  ["PostToolUse", { session_id: session, tool_name: "Write", tool_input: { file_path: "notes.md" } }],
  ["Stop", { session_id: session, stop_hook_active: false }],
  ["Stop", { session_id: session, stop_hook_active: true }],
  ["SessionEnd", { session_id: session, reason: "clear" }],
  ["SessionStart", { session_id: "next", source: "clear" }],
  ["Stop", { session_id: "next", stop_hook_active: false }],
];

async function tell(project: Project, env: Readonly<Record<string, string>> = {}): Promise<HookEnded[]> {
  const told: HookEnded[] = [];
  for (const [event, input] of story) told.push(await runHook(project, event, input, { env }));
  return told;
}

/** What a host is told, without what differs from project to project and from call to call. */
function said(project: Project, told: readonly HookEnded[]): unknown[] {
  return told.map(({ code, stdout, stderr }) => ({
    code,
    stderr,
    stdout: stdout.replaceAll(project.root, "").replace(/ (id|at)=\\"[^"]*\\"/g, ""),
  }));
}

async function eventsOf(project: Project) {
  const commits = await readAll(createFileStore(runsOf(project)).read(runOf(project)));
  const events = commits.flatMap((commit) => commit.events);
  return events.map(({ at: _at, delivers: _delivers, ...event }) =>
    event.type === "session-started" ? { ...event, environment: null } : event,
  );
}

/** The run becomes an ordinary one, so that a delivery needs no server. */
async function deliver(project: Project): Promise<void> {
  unmarkCopy(runsOf(project), runOf(project));
  const deps = compose(project.root, callerOf());
  const standing = await deps.journal.load(runOf(project));
  if (standing !== null) await deliverQueued(deps, standing);
}

const refusing = 1;

describe.each([
  ["unreachable", () => "postgres://ann:secret@192.0.2.1:5432/team"],
  ["slow", () => `postgres://ann:secret@127.0.0.1:${listening}/team`],
  ["refusing", () => `postgres://ann:secret@127.0.0.1:${refusing}/team`],
])("with a database that is %s", (_, url) => {
  it("hooks say the same as with files, write nothing but their queue, and ask nobody", async () => {
    const shared = sharedProject();
    const before = readFileSync(join(shared.runFolder(), "journal.jsonl"));
    const here = await tell(shared, { HOLDFAST_DATABASE_URL: url() });
    expect(said(shared, here)).toEqual(said(files, saidThere));
    expect(here.map(({ answer }) => answer?.decision).filter(Boolean)).toEqual(["block", "block"]);
    expect(contextOf(here[2] as HookEnded)).toContain("You are in the middle of a workflow.");
    expect(readFileSync(join(shared.runFolder(), "journal.jsonl"))).toEqual(before);
    expect(connections).toBe(0);

    // What was queued is recorded later, once, as if there had been files.
    await deliver(shared);
    await deliver(shared);
    expect(await eventsOf(shared)).toEqual(await eventsOf(files));
    expect(existsSync(queueOf(shared))).toBe(false);
  });
});

it("a torn or foreign line in the queue costs nobody anything", async () => {
  const project = sharedProject();
  writeFileSync(queueOf(project), '{"notice":{"type":"end-session"}}\n\0\0\nhalf a li');
  await runHook(project, "SessionStart", { session_id: session, source: "resume" });
  appendFileSync(queueOf(project), "0123456789abcdef {}\n");
  const { stdout } = await runHook(project, "Stop", { session_id: session, stop_hook_active: false });
  expect(stdout).toContain('"block"');
  await deliver(project);
  expect((await eventsOf(project)).map(({ type }) => type).slice(-2)).toEqual(["session-started", "usage-recorded"]);
});

it("what is remembered of the queue counts for nothing once it does not fit, or someone else wrote it", async () => {
  const project = sharedProject();
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
  const project = sharedProject();
  writeFileSync(queueOf(project), "x".repeat(512 * 1024));
  const starts = await runHook(project, "SessionStart", { session_id: session, source: "resume" });
  expect(contextOf(starts)).toContain("You are in the middle of a workflow.");
  expect(starts.answer.systemMessage).toContain("too many notices wait for the shared store");
});

it("as long as the last attempt to reach the store has failed, everything says as of when", async () => {
  const project = sharedProject();
  const state = join(project.root, ".holdfast");
  const start = () => runHook(project, "SessionStart", { session_id: session, source: "resume" });
  const line = async () => {
    const input = JSON.stringify({ session_id: session, cwd: project.root });
    return (await project.bundled(["statusline"], { input })).stdout;
  };
  const asked = async () => [contextOf(await start()), (await start()).stdout, await line()];
  expect((await asked()).join()).not.toMatch(/as of/i);
  noteReached(state, "2026-01-02T10:00:30.000Z");
  noteUnreachable(state, "2026-01-02T11:00:00.000Z");
  onTestFinished(() => noteReached(state, "2026-01-02T12:00:00.000Z"));
  expect(contextOf(await start())).toContain(
    "This is as of 2026-01-02 10:00 UTC: the shared store could not be reached.",
  );
  expect((await start()).answer.systemMessage).toContain(", as of 2026-01-02 10:00 UTC");
  expect(await line()).toContain(" · as of 2026-01-02 10:00 UTC");
  const status = await project.holdfast(["status"]);
  expect(status.stdout).toContain("This is as of 2026-01-02 10:00: the shared store could not be reached.");
  expect((await project.holdfast(["handoff"])).stdout).toContain("This is as of 2026-01-02 10:00 UTC");
  noteReached(state, "2026-01-02T12:00:00.000Z");
  expect(`${await line()}${(await project.holdfast(["status"])).stdout}`).not.toMatch(/as of/i);
});
