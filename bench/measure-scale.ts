// What a command costs in a project with many runs, beside the same command where there are few. Started by run.ts.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeCrowd, removeCrowd } from "./many-runs.ts";
import { openServer } from "./mcp-client.ts";
import { type Aim, median, report } from "./report.ts";

const [, , program = ""] = process.argv;
const rounds = Number(process.env.HOLDFAST_BENCH_ROUNDS ?? 7);
const workflow = "name: other\ndescription: One step\nsteps: [{ id: one, type: action, instructions: Do it }]\n";
const crowds = {
  "10 ended": { ended: 10, live: 1 },
  "10,000 ended": { ended: 10_000, live: 1 },
  "10 live": { ended: 0, live: 10 },
  "1,000 live": { ended: 0, live: 1_000 },
} as const;
type Crowd = keyof typeof crowds;
const sides: readonly Crowd[] = ["10 ended", "10,000 ended", "10 live", "1,000 live"];

/** Each ends with the answer that a caller waits for. */
const acts: Readonly<Record<string, (folder: string) => unknown>> = {
  status: (folder) => command(folder, ["status"]),
  next: (folder) => command(folder, ["next"]),
  start,
  list: (folder) => command(folder, ["list"]),
  runs: (folder) => command(folder, ["runs"]),
  "first MCP call": firstCall,
  SessionStart: sessionStart,
};

const folders = new Map<Crowd, string>();
try {
  for (const side of sides) {
    const folder = await makeCrowd(crowds[side]);
    folders.set(side, folder);
    writeFileSync(join(folder, "other.yaml"), workflow);
  }
  process.exitCode = report(aimsOf(await measure())) ? 0 : 1;
} finally {
  for (const folder of folders.values()) removeCrowd(folder);
}

type Times = Readonly<Record<Crowd, number>>;

/** Every command in every project in turns, so that all of them see the same machine. The first round warms up. */
async function measure(): Promise<Map<string, Times[]>> {
  const times = new Map<string, Times[]>(Object.keys(acts).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, act] of Object.entries(acts)) {
      const row: Partial<Record<Crowd, number>> = {};
      for (const side of sides) {
        const begun = performance.now();
        await act(folders.get(side) ?? "");
        row[side] = performance.now() - begun;
      }
      if (round > 0) times.get(name)?.push(row as Times);
      else
        process.stderr.write(
          `first ${name}: ${sides.map((side) => `${side} ${row[side]?.toFixed(0)} ms`).join(", ")}\n`,
        );
    }
  }
  return times;
}

function aimsOf(times: ReadonlyMap<string, readonly Times[]>): Aim[] {
  const ratio = (each: readonly Times[], many: Crowd, few: Crowd) => median(each.map((row) => row[many] / row[few]));
  const table = [...times].map(([name, each]) => {
    const ended = ratio(each, "10,000 ended", "10 ended");
    const live = ratio(each, "1,000 live", "10 live");
    const cells = (some: readonly Crowd[]) =>
      some.map((side) => `${median(each.map((row) => row[side])).toFixed(0)} ms`);
    const row = [name, ...cells(sides.slice(0, 2)), ended.toFixed(2), ...cells(sides.slice(2)), live.toFixed(2)];
    return { row, ended, live };
  });
  const head = ["", ...sides.slice(0, 2), "ratio", ...sides.slice(2), "ratio"];
  const rows = [head, ...table.map(({ row }) => row)];
  return [
    { name: "10,000 ended runs against 10", rows, value: Math.max(...table.map(({ ended }) => ended)), most: 1.5 },
    { name: "1,000 live runs against 10", rows: [], value: Math.max(...table.map(({ live }) => live)), most: 2 },
  ];
}

function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: join(folder, "home") };
}

/** Where many runs are live, the answer is that none was named. */
function command(folder: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("node", [program, ...words], {
    cwd: folder,
    env: environment(folder),
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  });
  if (status === 0 || stderr.includes("live")) return stdout;
  throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
}

/** The run is removed again, so that every round finds the same runs. */
function start(folder: string): void {
  const { runId } = JSON.parse(command(folder, ["start", "other.yaml", "--json"]));
  rmSync(join(folder, ".holdfast/runs", runId), { recursive: true });
}

/** From the start of the server to its first answer about a run. */
async function firstCall(folder: string): Promise<void> {
  const server = openServer(program, ["mcp"], folder);
  await server.open();
  await server.call("tools/call", { name: "workflow_status", arguments: {} });
  await server.close();
}

function sessionStart(folder: string): void {
  const input = { session_id: "bench-session", cwd: folder, hook_event_name: "SessionStart", source: "startup" };
  const hook = join(dirname(program), "hook.cjs");
  const words = [hook, "--host", "claude", "--via", "project", "SessionStart"];
  const { status } = spawnSync("node", words, { cwd: folder, env: environment(folder), input: JSON.stringify(input) });
  if (status !== 0) throw new Error(`SessionStart ended with ${status}`);
}
