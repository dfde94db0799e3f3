// Shows the main use to newcomers: a real workflow with a real journal, driven by a scripted agent that is killed
// half-way. Everything happens in a temporary folder, which is deleted at the end.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { bundleCli, bundleProgram } from "../scripts/bundle-cli.ts";
import type { RunEvent } from "../src/model/event.ts";
import { narrate } from "./narrate.ts";

const colours = process.stdout.isTTY === true && !process.env.NO_COLOR;
const pace = process.stdout.isTTY === true ? "500" : "50";
const folder = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
const project = join(folder, "project");
const cli = join(folder, "dist/bin/holdfast.js");
const env = { ...process.env, HOME: join(folder, "home") };
const children = new Set<ChildProcess>();
let count = 0;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

say("Holdfast keeps an agent on its workflow. Watch an agent lose its memory and continue.\n");
await prepare();
const { runId } = JSON.parse(run("start", "greeting", "--summary", "a program that greets", "--trust", "--json"));
await watch();
process.stdout.write(`\n${run("status", "--run", runId)}`);
say("\nThe second agent knew nothing and repeated nothing: the position, the tasks and the rules were in the journal.");
await drive();
say("\nThe second runner went on where the first was killed. Each visit was done once.");
say("Try it yourself: install it with npm run build && npm link, then run holdfast list in a project of your own.");

async function prepare(): Promise<void> {
  mkdirSync(join(project, ".holdfast/workflows"), { recursive: true });
  mkdirSync(env.HOME);
  await bundleCli(cli);
  await bundleProgram(join(folder, "agent.mjs"), "demo/agent.ts");
  cpSync("workflows", join(folder, "workflows"), { recursive: true });
  copyFileSync("package.json", join(folder, "package.json"));
  copyFileSync("demo/workflow.yaml", join(project, ".holdfast/workflows/greeting.yaml"));
  // The gate runs the program and checks what it prints.
  writeFileSync(
    join(project, "check.mjs"),
    'import { execFileSync } from "node:child_process";\n' +
      'const said = execFileSync("node", ["greeting.mjs"], { encoding: "utf8" });\n' +
      'if (/goodby\\b/.test(said)) { console.log("it says goodby, not goodbye"); process.exit(1); }\n',
  );
  step("a project with a workflow: plan, build (a loop with a gate), polish (twice), finish");
}

/** Prints the events of the run. At the second task the agent is killed, and another one takes over. */
async function watch(): Promise<void> {
  const log = start("node", [cli, "log", "--follow", "--json"]);
  let agent = startAgent("an agent starts; all it knows is the command holdfast next");
  let killed = false;
  for await (const line of createInterface({ input: log.stdout ?? process.stdin })) {
    const event: RunEvent = JSON.parse(line);
    const told = narrate(event);
    if (told !== null) step(told);
    if (killed || event.type !== "visit-entered" || event.token !== "build/t2/implement#1") continue;
    killed = true;
    agent.kill("SIGKILL");
    await once(agent, "exit");
    step(paint("red", "kill -9: the agent is gone in the middle of task 2, and so is its memory"));
    agent = startAgent("a new agent starts without any memory and runs: holdfast next");
  }
}

/** The other way round: Holdfast drives a program through a workflow. It is killed after the gate has failed. */
async function drive(): Promise<void> {
  say("\nNow Holdfast drives the agent: a shell script that gets one visit at a time.\n");
  copyFileSync("demo/driven.yaml", join(project, ".holdfast/workflows/haiku.yaml"));
  copyFileSync("demo/driven-agent.sh", join(project, "agent.sh"));
  chmodSync(join(project, "agent.sh"), 0o755);
  writeFileSync(
    join(project, "count.mjs"),
    'import { readFileSync } from "node:fs";\n' +
      'const lines = readFileSync("haiku.txt", "utf8").trim().split("\\n").length;\n' +
      'if (lines !== 3) { console.log("only", lines, "lines"); process.exit(1); }\n',
  );
  writeFileSync(join(env.HOME, ".config/holdfast/config.yaml"), "trust: all\n");
  const agent = ["--agent", "command:./agent.sh", "--yes"];
  const runner = start("node", [cli, "run", "haiku", "an anchor", ...agent]);
  const killed = await relay(runner, "not done yet");
  if (killed) step(paint("red", "kill -9: the runner is gone, and so is the agent that it started"));
  const { runs } = JSON.parse(run("runs", "--live", "--json"));
  await relay(start("node", [cli, "run", "--resume", runs[0].runId, ...agent]), null);
  process.stdout.write(`\n${run("report", "--run", "haiku")}`);
}

/** Prints what a runner says. Kills it after a line that contains `deadly`. */
async function relay(runner: ChildProcess, deadly: string | null): Promise<boolean> {
  const ended = once(runner, "exit");
  for await (const line of createInterface({ input: runner.stdout ?? process.stdin })) {
    say(`     ${line}`);
    if (deadly !== null && line.includes(deadly)) {
      runner.kill("SIGKILL");
      await ended;
      return true;
    }
  }
  await ended;
  return false;
}

function startAgent(words: string): ChildProcess {
  step(paint("bold", words));
  return start("node", [join(folder, "agent.mjs"), cli, pace]);
}

function start(program: string, words: string[]): ChildProcess {
  const child = spawn(program, words, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

function run(...words: string[]): string {
  return execFileSync("node", [cli, ...words], { cwd: project, env, encoding: "utf8" });
}

function step(text: string): void {
  count += 1;
  say(`${paint("dim", String(count).padStart(3))}  ${text}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function paint(format: "red" | "bold" | "dim", text: string): string {
  return colours ? styleText(format, text) : text;
}
