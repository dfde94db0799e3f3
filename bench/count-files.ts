// How many files an advance and a hook run through: the modules under src/ in which a function ran, told by V8's own
// coverage. Runs from the sources, because a bundle is one file: `tsx bench/count-files.ts [--list]`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/app/compose.ts";
import { handleHookEvent } from "../src/app/continuity/events/handle-hook-event.ts";
import { createHookPorts } from "../src/app/continuity/ports/hook-ports.ts";
import { operations } from "../src/app/operations.ts";
import { settleShown } from "../src/app/shown/shown-log.ts";
import { callTool } from "../src/mcp/call-tool.ts";
import { createTools } from "../src/mcp/tools.ts";
import { caller } from "./project.ts";
import { report } from "./report.ts";

const steps = ["one", "two", "three", "four", "five", "six"].map(
  (id) => `  - { id: ${id}, type: action, instructions: Do it }\n`,
);
const workflow = `name: walk\ndescription: Six steps without gates\nsteps:\n${steps.join("")}`;

const tool = createTools(undefined).find(({ operation }) => operation === "advance");
if (tool === undefined) throw new Error("no tool advances a run");
const advanceTool = tool;

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");

const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
try {
  mkdirSync(join(folder, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/workflows/walk.yaml"), workflow);
  const advance = await filesOfAdvance();
  const fresh = await filesOfFreshAdvance();
  const sessionStart = await filesOfSessionStart();
  if (process.argv.includes("--list")) process.stdout.write(`${[...advance, "", ...sessionStart].join("\n")}\n`);
  const rows = [
    ["what", "files"],
    ["workflow_advance in a running server", String(advance.length)],
    ["the first advance of a process", String(fresh.length)],
    ["SessionStart that restores a run", String(sessionStart.length)],
  ];
  const met = report([
    { name: "files in which an advance without gates runs functions", rows, value: advance.length, most: 70 },
    { name: "files in which a SessionStart hook runs functions", rows, value: sessionStart.length, most: 60 },
  ]);
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function filesOfAdvance(): Promise<string[]> {
  const deps = compose(folder, { ...caller, session: "s1" });
  await operations.start.run(deps, { workflow: "walk" });
  await call(deps, { output: "warm" });
  const counts: string[][] = [];
  for (let n = 0; n < 3; n++) counts.push(await filesDuring(() => call(deps, { output: "done" })));
  await deps.journal.settle();
  // On a busy machine, what is due shortly after an advance may run during it.
  return counts.sort((one, other) => one.length - other.length)[0] ?? [];
}

function filesOfFreshAdvance(): Promise<string[]> {
  return filesDuring(async () => {
    const deps = compose(folder, { ...caller, session: "s1" });
    await call(deps, { output: "done" });
    await deps.journal.settle();
  });
}

function filesOfSessionStart(): Promise<string[]> {
  const hook = { session: "s1", host: "claude", via: "project", parent: "1.1" };
  const silent = { agent: null, transcript: null, trigger: null, reason: null, summaryLength: null };
  const nothing = { ...silent, stopActive: false, paths: [] };
  return filesDuring(async () => {
    const ports = await createHookPorts(folder);
    await handleHookEvent(ports, hook, { ...nothing, name: "SessionStart", source: "compact" });
  });
}

async function call(deps: ReturnType<typeof compose>, input: object): Promise<void> {
  const fail = (shown: unknown) => {
    throw new Error(JSON.stringify(shown));
  };
  const answer = await callTool(advanceTool, deps, input, fail);
  if (answer.isError) fail(answer);
  // A part of the call, although it is written after the reply.
  settleShown();
}

/** The files under src/ in which at least one function ran during `act`; loading a module does not count. */
async function filesDuring(act: () => Promise<unknown>): Promise<string[]> {
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await act();
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  await inspector.post("Profiler.stopPreciseCoverage");
  const ran = result.filter(({ url, functions }) => url.includes("/src/") && functions.some(hasRun));
  return ran.map(({ url }) => url.replace(/^.*\/src\//, "src/")).sort();
}

function hasRun({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  const isModule = functionName === "" && range?.startOffset === 0;
  return !isModule && (range?.count ?? 0) > 0;
}
