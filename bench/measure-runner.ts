// What the runner itself takes beside the program that it drives, and whether it grows. Started by run.ts.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Aim, median, report, timed } from "./report.ts";
import { measureClaude } from "./runner-claude.ts";

const [, , program = "", echo = ""] = process.argv;
/** Fewer visits than a few hundred show how the heap warms up, not whether it grows. */
const manyVisits = Number(process.env.HOLDFAST_VISITS ?? 1_000);
const timedVisits = 30;
const turnSeconds = 0.5;
/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10;

const workflow = `
name: long
description: a loop of many small tasks
loops:
  work: [{ id: do, instructions: "Do {task.title}" }]
steps:
  - { id: work, type: loop, tasks: { file: tasks.json } }
`;

const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-runner-"));
try {
  const aims = [await measureTime(), await measureClaude({ program, echo, folder }), await measureMemory()];
  process.exitCode = report(aims.filter((aim) => aim !== null)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The same turns by the program alone and by the program that is driven. */
async function measureTime(): Promise<Aim> {
  const project = makeProject("time", timedVisits, `sleep ${turnSeconds}`);
  const bare: number[] = [];
  for (let turn = 0; turn < timedVisits; turn++) bare.push((await timed(() => bareTurn(project))) / 1_000);
  const driven = await drive(project);
  const [alone, withRunner] = [median(bare), median(driven.visits.map(({ ms }) => ms))];
  const cpuMs = (driven.visits.at(-1)?.cpuMs ?? 0) - (driven.visits[0]?.cpuMs ?? 0);
  return {
    name: `a visit of ${turnSeconds} s with command:, against the program alone (${timedVisits} visits)`,
    rows: [
      ["", "median ms", "runner's CPU ms"],
      ["alone", alone.toFixed(1), ""],
      ["driven", withRunner.toFixed(1), (cpuMs / (driven.visits.length - 1)).toFixed(1)],
    ],
    value: withRunner / alone,
    most: 1.1,
  };
}

/** The resident memory of the runner in the second quarter of its visits and in the last. */
async function measureMemory(): Promise<Aim> {
  const { visits } = await drive(makeProject("memory", manyVisits, ""));
  const quarter = Math.floor(visits.length / 4);
  const megabytes = visits.map(({ kilobytes }) => kilobytes / 1_024);
  const [early, late] = [median(megabytes.slice(quarter, 2 * quarter)), median(megabytes.slice(-quarter))];
  return {
    name: `memory of the runner over ${visits.length} visits`,
    rows: [
      ["visits", "median MB"],
      ["second quarter", early.toFixed(0)],
      ["last quarter", late.toFixed(0)],
    ],
    value: late / early,
    most: 1.2,
  };
}

function makeProject(name: string, visits: number, work: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, ".holdfast/workflows"), { recursive: true });
  const tasks = Array.from({ length: visits }, (_, n) => ({ id: `t${n}`, title: `part ${n}` }));
  writeFileSync(join(project, ".holdfast/workflows/long.yaml"), workflow);
  writeFileSync(join(project, "tasks.json"), JSON.stringify(tasks));
  writeFileSync(join(project, "agent.sh"), `#!/bin/sh\ncat > /dev/null\n${work}\necho done\n`);
  chmodSync(join(project, "agent.sh"), 0o755);
  return project;
}

function bareTurn(project: string): Promise<unknown> {
  const child = spawn(join(project, "agent.sh"), { cwd: project, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end("Do it");
  return new Promise((resolve) => child.once("close", resolve));
}

interface DrivenVisit {
  readonly ms: number;
  readonly cpuMs: number;
  readonly kilobytes: number;
}

/** Drives the project's workflow to its end, and looks at the runner at the end of each visit. */
async function drive(project: string): Promise<{ readonly visits: readonly DrivenVisit[] }> {
  const words = ["run", "long", "--agent", "command:./agent.sh", "--yes", "--json"];
  const env = { ...process.env, HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "home/.config") };
  const child = spawn(process.execPath, [program, ...words], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const visits: DrivenVisit[] = [];
  let before: number | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line).type !== "done") continue;
    const now = performance.now();
    if (before !== null) visits.push({ ms: now - before, ...sizeOf(child.pid ?? 0) });
    before = now;
  }
  if (visits.length === 0) throw new Error("the runner has done nothing");
  return { visits };
}

function sizeOf(pid: number): Pick<DrivenVisit, "cpuMs" | "kilobytes"> {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    kilobytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
  };
}
