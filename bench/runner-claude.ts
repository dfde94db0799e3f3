// The same turns of the real Claude Code alone and driven, with a scripted model whose answers take their time.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { type ClaudeScript, claudeAnswering } from "../test/clients/claude-answers.ts";
import { claudeToolNames, claudeToolResults, lastUserText } from "../test/clients/claude-request.ts";
import { listenOnLoopback } from "../test/clients/loopback-server.ts";
import { claudeEnvironment, claudeVersions, installedClaude } from "../test/clients/programs.ts";
import { type Aim, median } from "./report.ts";

/** Where the programs are, and a folder of our own. */
export interface ClaudeBench {
  readonly program: string;
  readonly echo: string;
  readonly folder: string;
}

const version = claudeVersions.newest;
const visits = 6;
const rounds = 3;
/** A visit takes two answers: a call of a tool, and the end of the turn. Few real ones are faster than a second. */
const answerMs = 1_000;

const workflow = `
name: long
description: a loop of small tasks
loops:
  work: [{ id: do, instructions: "Do {task.title}" }]
steps:
  - { id: work, type: loop, tasks: { file: tasks.json } }
`;

/** Null if Claude Code is not installed. */
export async function measureClaude(bench: ClaudeBench): Promise<Aim | null> {
  const claude = installedClaude(version);
  if (claude === null) {
    process.stdout.write(`skipped: Claude Code ${version} is not installed; npm run test:clients installs it\n\n`);
    return null;
  }
  const quick = await measureRounds(bench, claude, 0);
  const usual = await measureRounds(bench, claude, answerMs);
  const rows = ([name, { alone, driven }]: readonly [string, Measured]) => [
    name,
    alone.toFixed(0),
    driven.toFixed(0),
    (driven - alone).toFixed(0),
  ];
  return {
    name: `a visit with Claude Code ${version}, against the same turns of it alone (${rounds} rounds of ${visits})`,
    rows: [
      ["the model answers", "alone, median ms", "driven, median ms", "more"],
      ...(
        [
          ["at once", quick],
          [`after ${answerMs} ms, twice`, usual],
        ] as const
      ).map(rows),
    ],
    value: usual.driven / usual.alone,
    most: 1.1,
  };
}

interface Measured {
  readonly alone: number;
  readonly driven: number;
}

async function measureRounds(bench: ClaudeBench, claude: string, delayMs: number): Promise<Measured> {
  const model = await listenOnLoopback(claudeAnswering(answerAfter(delayMs), []));
  const env = {
    ...process.env,
    ...claudeEnvironment(model.url),
    HOME: join(bench.folder, "claude-home"),
    XDG_CONFIG_HOME: join(bench.folder, "claude-home/.config"),
    PATH: `${dirname(claude)}${delimiter}${process.env.PATH ?? ""}`,
  };
  const alone: number[] = [];
  const driven: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const project = makeProject(bench.folder, `claude-${delayMs}-${round}`);
      driven.push(...(await driveVisits(bench.program, project, env)));
      alone.push(...(await promptAlone(claude, bench.echo, project, env)));
    }
  } finally {
    model.close();
  }
  return { alone: median(alone), driven: median(driven) };
}

/** One call of the only server's tool, then the end of the turn. */
function answerAfter(delayMs: number): ClaudeScript {
  return async (request) => {
    await setTimeout(delayMs);
    const hasCalled = lastUserText(request) === claudeToolResults(request).at(-1);
    if (hasCalled) return { text: "Ended." };
    const isDriven = claudeToolNames(request).includes("mcp__holdfast__workflow_advance");
    const call = isDriven
      ? { name: "mcp__holdfast__workflow_advance", input: { output: "It is done" } }
      : { name: "mcp__echo__echo", input: { text: "It is done" } };
    return { calls: [call] };
  };
}

function makeProject(folder: string, name: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, ".holdfast/workflows"), { recursive: true });
  mkdirSync(join(folder, "claude-home"), { recursive: true });
  const tasks = Array.from({ length: visits + 1 }, (_, n) => ({ id: `t${n}`, title: `part ${n}` }));
  writeFileSync(join(project, ".holdfast/workflows/long.yaml"), workflow);
  writeFileSync(join(project, "tasks.json"), JSON.stringify(tasks));
  return project;
}

/** The time of every visit but the first, which also starts the programs. */
async function driveVisits(program: string, project: string, env: NodeJS.ProcessEnv): Promise<number[]> {
  const words = ["run", "long", "--agent", "claude", "--yes", "--json"];
  const child = spawn(process.execPath, [program, ...words], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ends: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line).type === "done") ends.push(performance.now());
  }
  if (ends.length !== visits + 1) throw new Error(`${ends.length} of ${visits + 1} visits were done`);
  return between(ends);
}

/** One live process that gets the prompts of the driven one, each when the one before it is answered. */
async function promptAlone(claude: string, echo: string, project: string, env: NodeJS.ProcessEnv): Promise<number[]> {
  const servers = { mcpServers: { echo: { command: process.execPath, args: [echo], alwaysLoad: true } } };
  const words = [
    ...["-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose", "--strict-mcp-config"],
    ...[`--mcp-config=${JSON.stringify(servers)}`, "--allowedTools=mcp__echo__*", "--setting-sources=user"],
  ];
  const child = spawn(claude, words, { cwd: project, env, stdio: ["pipe", "pipe", "inherit"] });
  const prompts = promptsOf(project);
  const send = () => {
    const content = prompts.shift();
    if (content === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
  };
  send();
  const ends: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { type, is_error: isError } = JSON.parse(line);
    if (type !== "result") continue;
    if (isError === true) throw new Error(line);
    ends.push(performance.now());
    send();
  }
  if (ends.length !== visits + 1) throw new Error(`${ends.length} of ${visits + 1} prompts were answered`);
  return between(ends);
}

/** What the runner has asked, from the logs of its visits. */
function promptsOf(project: string): string[] {
  const runs = join(project, ".holdfast/runs");
  const folder = join(runs, readdirSync(runs)[0] ?? "", "visits");
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "prompt")
      .map(({ text }) => String(text)),
  );
}

function between(ends: readonly number[]): number[] {
  return ends.slice(1).map((end, index) => end - (ends[index] ?? end));
}
