// What a hook costs: each command hook from spawn to exit beside bare node, with and without a live run, each hook over
// MCP, and how much is loaded.
import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { markCopy } from "../src/store/copy-mark.ts";
import { noteAway } from "../src/store/reach.ts";
import { openServer } from "./mcp-client.ts";
import { above, ownShare, writeReferences } from "./own-share.ts";
import { type Aim, median, report } from "./report.ts";

const [, , program = ""] = process.argv;
const base = mkdtempSync(join(tmpdir(), "holdfast-bench-hooks-"));
const session = "bench-session";
/** What Claude Code tells each of its hooks. */
const told = { CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ID: session };
const environment = { ...process.env, ...told, HOLDFAST_SESSION: session, HOME: join(base, "home") };
const rounds = 62;

const turnEvents = {
  UserPromptSubmit: ["UserPromptSubmit", { prompt: "Go on" }],
  PostToolUse: ["PostToolUse", { tool_name: "Write", tool_input: { file_path: "a.txt" } }],
  Stop: ["Stop", { stop_hook_active: false }],
} as const;
const start = { "SessionStart, startup": ["SessionStart", { source: "startup" }] } as const;
const otherEvents = {
  "SessionStart, compact": ["SessionStart", { source: "compact" }],
  "SessionStart, resume": ["SessionStart", { source: "resume" }],
  PreCompact: ["PreCompact", { trigger: "auto" }],
  PostCompact: ["PostCompact", { trigger: "auto", compact_summary: "what happened" }],
  SessionEnd: ["SessionEnd", { reason: "other" }],
} as const;
type Events = Readonly<Record<string, readonly [event: string, input: object]>>;

try {
  const aims = [withoutRun(), withRun(), await onCopies(), await overMcp(install("served", "live")), bundleSize()];
  process.exitCode = report(aims) ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}

/** A project as a user has it: Holdfast installed, set up for Claude Code, with a live run or some that have ended. */
function install(name: string, runs: { readonly ended: number } | "live"): string {
  const folder = join(base, name);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(dirname(program), "../.."), join(folder, "node_modules/holdfast"));
  const start = runs === "live" ? [["start", "feature", "--trust"]] : [];
  for (const words of [["init", "--host", "claude", "--yes"], ...start]) {
    const { status, stderr } = spawnSync("node", [program, ...words], { cwd: folder, env: environment });
    if (status !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
  }
  for (let n = 0; runs !== "live" && n < runs.ended; n++) {
    const run = join(folder, `.holdfast/runs/feature-20260101_${100_000 + n}-aaaa`);
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, "snapshot.json"), '{"format":1,"ended":true,"rest":"of no interest"}');
  }
  return folder;
}

/** All hooks of a turn do the same here: they look whether a run is live. So they are judged together. */
function withoutRun(): Aim {
  const one = install("ended", { ended: 1 });
  const many = install("many-ended", { ended: 1_000 });
  const places = { "1 ended run": [one, { ...turnEvents, ...start }], "1,000 ended runs": [many, turnEvents] } as const;
  const rows = rowsOf(measure(places));
  const turns = rows.filter(({ name }) => Object.keys(turnEvents).some((event) => name.startsWith(event)));
  return {
    name: "the own share of a hook of a turn without a live run, against that of importing zod",
    rows: tableOf(rows),
    value: median(turns.map(({ share }) => share)),
    most: 0.15,
  };
}

/** What a hook takes beyond an empty module, which is what it would be if it did nothing. */
function withRun(): Aim {
  const times = measure({ "a live run": [install("live", "live"), { ...turnEvents, ...otherEvents }] });
  // The references are in the table, too.
  const isHook = ({ name }: Row) => name.endsWith("a live run");
  const shares = (some: Times) => rowsOf(some).flatMap((row) => (isHook(row) ? [row.share] : []));
  return {
    name: "the own share of the slowest hook with a live run, against that of importing zod",
    rows: tableOf(rowsOf(times)),
    value: largest(times, shares),
    most: 1,
  };
}

/** What was measured, and how long it took in each round. */
type Times = ReadonlyMap<string, readonly number[]>;

/**
 * The largest of many numbers that noise has made larger and smaller is too large. So every other round says which one it is,
 * and the rounds between them say how large it is.
 */
function largest(times: Times, valuesOf: (times: Times) => readonly number[]): number {
  const everyOther = (first: 0 | 1) => {
    const picked = [...times].map(([name, all]) => [name, all.filter((_, round) => round % 2 === first)] as const);
    return valuesOf(new Map(picked));
  };
  const choosing = everyOther(0);
  return everyOther(1)[choosing.indexOf(Math.max(...choosing))] ?? Number.NaN;
}

interface Row {
  readonly name: string;
  readonly time: number;
  readonly own: number;
  /** Of importing zod. */
  readonly share: number;
  /** To bare node. */
  readonly ratio: number;
}

function tableOf(rows: readonly Row[]): string[][] {
  const cells = rows.map(({ name, time, own, share, ratio }) => [
    name,
    `${time.toFixed(1)} ms`,
    `${own.toFixed(1)} ms`,
    share.toFixed(2),
    ratio.toFixed(2),
  ]);
  return [["command hook", "spawn to exit", "own share", "of importing zod", "to bare node"], ...cells];
}

/** Every hook and what it is compared with in turns, so that all of them see the same machine, and within each round. */
function measure(places: Readonly<Record<string, readonly [folder: string, events: Events]>>): Times {
  const references = writeReferences(program);
  const times = new Map<string, number[]>();
  const note = (name: string, cwd: string, words: readonly string[], input: object) => {
    const env = { ...environment, CLAUDE_PROJECT_DIR: cwd };
    const start = performance.now();
    const { status } = spawnSync("node", words, { cwd, env, input: JSON.stringify(input) });
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    if (status !== 0) throw new Error(`${name} ended with ${status}`);
  };
  for (let round = 0; round < rounds; round++) {
    note("bare node", base, ["-e", "0"], {});
    note("an empty module", base, [references.empty], {});
    note("import zod", base, [references.zod], {});
    for (const [place, [folder, events]] of Object.entries(places)) {
      for (const [name, [event, more]] of Object.entries(events)) {
        const input = { session_id: session, cwd: folder, hook_event_name: event, ...more };
        const shim = join(folder, ".holdfast/hook.cjs");
        note(`${name}, ${place}`, folder, [shim, "--host", "claude", "--via", "project", event], input);
      }
    }
  }
  return times;
}

function rowsOf(times: Times): Row[] {
  const of = (name: string) => times.get(name) ?? [];
  const [bare, empty, zod] = [of("bare node"), of("an empty module"), of("import zod")];
  return [...times].map(([name, ours]) => ({
    name,
    time: median(ours),
    own: median(above(ours, empty)),
    share: ownShare({ ours, empty, zod }),
    ratio: median(ours.map((time, round) => time / (bare[round] ?? Number.NaN))),
  }));
}

/** Hooks read the copy of a run in a shared store, whatever has become of its server. */
async function onCopies(): Promise<Aim> {
  const slow = await startSlowServer();
  try {
    const servers = { unreachable: "192.0.2.1:5432", "slow (5 s)": `127.0.0.1:${slow.port}`, refusing: "127.0.0.1:1" };
    const files = { name: "files", folder: install("files", "live"), url: "" };
    const copies = Object.entries(servers).map(([name, where]) => {
      const folder = install(`copy-${name}`, "live");
      makeCopy(folder);
      return { name, folder, url: `postgres://ann:secret@${where}/team` };
    });
    const times = measureOn([files, ...copies]);
    return {
      name: "a hook on a copy of a run in a shared store, against the same hook with files",
      rows: [["hook", "server", "spawn to exit", "to files"], ...besideFiles(times).map(({ cells }) => cells)],
      value: largest(times, (some) => besideFiles(some).map(({ ratio }) => ratio)),
      most: 1.1,
    };
  } finally {
    slow.process.kill();
  }
}

interface Machine {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
}

/** All machines in turns. */
function measureOn(machines: readonly Machine[]): Times {
  const { "SessionStart, compact": compact, "SessionStart, resume": resume, PreCompact } = otherEvents;
  const events = {
    "SessionStart, compact": compact,
    "SessionStart, resume": resume,
    PreCompact,
    Stop: turnEvents.Stop,
  };
  const hooks = Object.entries(events).map(([name, [event, more]]) => ({
    name,
    words: (folder: string) => [join(folder, ".holdfast/hook.cjs"), "--host", "claude", "--via", "project", event],
    input: { hook_event_name: event, ...more },
  }));
  const all = [...hooks, { name: "status line", words: () => [program, "statusline"], input: {} }];
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, words, input } of all) {
      for (const { name: server, folder, url } of machines) {
        const env = { ...environment, CLAUDE_PROJECT_DIR: folder, HOLDFAST_DATABASE_URL: url };
        const start = performance.now();
        const told = JSON.stringify({ session_id: session, cwd: folder, ...input });
        const { status } = spawnSync("node", words(folder), { cwd: folder, env, input: told });
        const key = `${name}\n${server}`;
        times.set(key, [...(times.get(key) ?? []), performance.now() - start]);
        if (status !== 0) throw new Error(`${name} ended with ${status}`);
      }
    }
  }
  return times;
}

/** Compared within each round. */
function besideFiles(times: Times): { readonly cells: string[]; readonly ratio: number }[] {
  return [...times].map(([key, ours]) => {
    const [name = "", server = ""] = key.split("\n");
    const files = times.get(`${name}\nfiles`) ?? [];
    const ratio = median(ours.map((time, round) => time / (files[round] ?? Number.NaN)));
    return { cells: [name, server, `${median(ours).toFixed(1)} ms`, ratio.toFixed(2)], ratio };
  });
}

/** What a machine has of a run in a shared store that it cannot reach. */
function makeCopy(folder: string): void {
  const state = join(folder, ".holdfast");
  for (const run of readdirSync(join(state, "runs"))) markCopy(join(state, "runs"), run, { project: "team" });
  noteAway(state, new Date().toISOString(), { code: "store-unreachable" });
}

/** In a process of its own: this one waits for each hook. */
async function startSlowServer() {
  const answer = "require('node:net').createServer((socket) => setTimeout(() => socket.destroy(), 5000))";
  const listen = `${answer}.listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const child = spawn("node", ["-e", listen], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) => {
    child.stdout.once("data", (text: Buffer) => resolve(Number(text)));
  });
  return { process: child, port };
}

/** For hooks that an earlier version has set up. */
async function overMcp(folder: string): Promise<Aim> {
  const server = openServer(program, ["mcp"], folder);
  await server.open();
  const rows: string[][] = [];
  let slowest = 0;
  for (const event of ["UserPromptSubmit", "PostToolUse", "Stop"]) {
    const input = { event, session_id: session, host: "claude", via: "project", file_path: "a.txt" };
    const times: number[] = [];
    for (let round = 0; round < 300; round++) {
      const start = performance.now();
      await server.call("tools/call", { name: "hook", arguments: input });
      times.push(performance.now() - start);
    }
    const time = median(times.slice(50));
    slowest = Math.max(slowest, time);
    rows.push([event, `${time.toFixed(2)} ms`]);
  }
  await server.close();
  return {
    name: "the slowest hook over MCP, in milliseconds",
    rows: [["mcp_tool hook", "round trip"], ...rows],
    value: slowest,
    most: 3,
  };
}

/** What every event loads; what only some of them need stands in files of its own. */
function bundleSize(): Aim {
  const size = (name: string) => statSync(join(dirname(program), name)).size / 1000;
  const main = readFileSync(join(dirname(program), "hook-main.cjs"), "latin1");
  const shared = [...main.matchAll(/require\("\.\/(hook-shared-\w+\.cjs)"\)/g)].map(([, name = ""]) => name);
  const loaded = ["hook.cjs", "hook-main.cjs", ...shared];
  const names = readdirSync(dirname(program)).filter((name) => /^hook.*\.cjs$/.test(name));
  const rows = names.map((name) => [name, `${size(name).toFixed(1)} KB`]);
  return {
    name: "size of what every hook loads, in KB",
    rows: [["file", "size"], ...rows],
    value: loaded.reduce((sum, name) => sum + size(name), 0),
    most: 60,
  };
}
