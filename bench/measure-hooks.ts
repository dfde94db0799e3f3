// What a hook costs: each command hook from spawn to exit beside bare node, each hook over MCP, and how much is loaded.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openServer } from "./mcp-client.ts";
import { type Aim, median, report } from "./report.ts";

const [, , program = ""] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-hooks-"));
const session = "bench-session";
const environment = { ...process.env, HOLDFAST_SESSION: session, HOME: join(folder, "home") };
try {
  const shim = install();
  process.exitCode = report([...commandHooks(shim), await overMcp(), bundleSize()]) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A project as a user has it: Holdfast installed, set up for Claude Code, and a run under way. */
function install(): string {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(dirname(program), "../.."), join(folder, "node_modules/holdfast"));
  for (const words of [
    ["init", "--host", "claude", "--yes"],
    ["start", "feature", "--trust"],
  ]) {
    const { status, stderr } = spawnSync("node", [program, ...words], { cwd: folder, env: environment });
    if (status !== 0) throw new Error(String(stderr));
  }
  writeFileSync(join(folder, "empty.mjs"), "");
  return join(folder, ".holdfast/hook.mjs");
}

function commandHooks(shim: string): Aim[] {
  const rounds = 25;
  const events = {
    "SessionStart, compact": ["SessionStart", { source: "compact" }],
    "SessionStart, resume": ["SessionStart", { source: "resume" }],
    PreCompact: ["PreCompact", { trigger: "auto" }],
    PostCompact: ["PostCompact", { trigger: "auto", compact_summary: "what happened" }],
    SessionEnd: ["SessionEnd", { reason: "other" }],
  } as const;
  const times = new Map<string, number[]>();
  const note = (name: string, words: readonly string[], input: object) => {
    const start = performance.now();
    spawnSync("node", words, { cwd: folder, env: environment, input: JSON.stringify(input) });
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
  };
  for (let round = 0; round < rounds; round++) {
    note("bare node", [join(folder, "empty.mjs")], {});
    for (const [name, [event, more]] of Object.entries(events)) {
      const input = { session_id: session, cwd: folder, hook_event_name: event, ...more };
      note(name, [shim, "--host", "claude", "--via", "project", event], input);
    }
  }
  const of = (name: string) => median(times.get(name) ?? []);
  const floor = of("bare node");
  const rows = [...times.keys()].map((name) => [name, `${of(name).toFixed(1)} ms`, (of(name) / floor).toFixed(2)]);
  const slowest = Math.max(...Object.keys(events).map((name) => of(name) / floor));
  const table = [["command hook", "spawn to exit", "ratio"], ...rows];
  return [{ name: "the slowest command hook against bare node", rows: table, value: slowest, most: 1.3 }];
}

async function overMcp(): Promise<Aim> {
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
  const size = (name: string) => statSync(join(dirname(program), name)).size / 1024;
  const names = readdirSync(dirname(program)).filter((name) => /^hook.*\.cjs$/.test(name));
  const rows = names.map((name) => [name, `${size(name).toFixed(1)} KB`]);
  return {
    name: "size of what every hook loads, in KB",
    rows: [["file", "size"], ...rows],
    value: size("hook.cjs") + size("hook-main.cjs"),
    most: 60,
  };
}
