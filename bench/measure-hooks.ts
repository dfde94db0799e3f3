// What a hook costs: each command hook from spawn to exit beside bare node, with and without a live run, each hook over
// MCP, and how much is loaded.
import { spawnSync } from "node:child_process";
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
import { openServer } from "./mcp-client.ts";
import { above, ownShare, writeReferences } from "./own-share.ts";
import { type Aim, median, report } from "./report.ts";

const [, , program = ""] = process.argv;
const base = mkdtempSync(join(tmpdir(), "holdfast-bench-hooks-"));
const session = "bench-session";
/** What Claude Code tells each of its hooks. */
const told = { CLAUDE_PID: String(process.pid), CLAUDE_CODE_SESSION_ID: session };
const environment = { ...process.env, ...told, HOLDFAST_SESSION: session, HOME: join(base, "home") };
const rounds = 31;

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
  const aims = [withoutRun(), withRun(), await overMcp(install("served", "live")), bundleSize()];
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
  const rows = measure(places);
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
  const rows = measure({ "a live run": [install("live", "live"), { ...turnEvents, ...otherEvents }] });
  // The references are in the table, too.
  const hooks = rows.filter(({ name }) => name.endsWith("a live run"));
  const value = Math.max(...hooks.map(({ share }) => share));
  return {
    name: "the own share of the slowest hook with a live run, against that of importing zod",
    rows: tableOf(rows),
    value,
    most: 1,
  };
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
function measure(places: Readonly<Record<string, readonly [folder: string, events: Events]>>): Row[] {
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
