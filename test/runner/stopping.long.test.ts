import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ended } from "../cli/program.ts";
import { openTerminal } from "../cli/terminal.ts";
import { asleep, markedSleep, noneLeft } from "../platform/sleepers.ts";
import { createDriven, type DrivenProject } from "./driven.ts";

const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";
const howToGoOn = /^stopping\. .*\n {2}Next {3}holdfast run --resume boat-\S+ --agent command:\S+\n$/;
const talksOn = "while [ ! -f enough ]; do echo working; sleep 0.05; done; echo done";
const words = ["run", "boat", "--agent", "command:./agent.sh", "--yes"];

test("Ctrl-C says how to go on before the agent has ended, and a second one ends everything", async () => {
  const sleep = markedSleep();
  const project = createDriven(oneStep, `trap '' TERM\necho working\n${sleep}\n${sleep}`);
  const runner = begin(project);
  const end = ended(runner);
  await working(runner);
  await asleep(sleep, 1);
  runner.kill("SIGINT");
  await Promise.race([once(runner.stderr, "data"), end]);
  runner.kill("SIGINT");
  expect(await end).toMatchObject({ code: null, stderr: expect.stringMatching(howToGoOn) });
  await noneLeft(sleep);
});

test.each([
  ["lines", []],
  ["JSON", ["--json"]],
])("a run whose reader of %s leaves is stopped, and says how to go on", async (_what, more) => {
  const project = createDriven(oneStep, talksOn);
  const runner = begin(project, more);
  await working(runner);
  runner.stdout.destroy();
  expect(await ended(runner)).toMatchObject({ code: 130, stderr: expect.stringMatching(howToGoOn) });
  expect(project.events().at(-1)).toMatchObject({ type: "drive-ended", why: "interrupted" });
});

test.each([
  ["alone", ""],
  // The shell gets the signal, and does not pass it on.
  ["without a signal", "& trap '' HUP; wait $!"],
])("closing the terminal stops a run in order, %s", async (_what, around) => {
  const project = createDriven(oneStep, talksOn);
  const env = { XDG_CONFIG_HOME: join(project.home, ".config") };
  const mark = markedSleep();
  const terminal = openTerminal(project, [...words, mark], { env, behind: `2>errors.txt ${around}` });
  await terminal.until(/\| working/);
  terminal.close();
  await expect.poll(() => project.events().at(-1)).toMatchObject({ type: "drive-ended", why: "interrupted" });
  await noneLeft(mark);
  expect(project.read("errors.txt")).toMatch(howToGoOn);
});

test("a run that was started without a terminal, as by nohup, goes on after a hangup", async () => {
  const project = createDriven(oneStep, talksOn);
  const runner = begin(project);
  const end = ended(runner);
  await working(runner);
  runner.kill("SIGHUP");
  project.write("enough", "");
  expect(await end).toMatchObject({ code: 0, stderr: "" });
});

test("Ctrl-C at the question whether to start is no refusal, and starts nothing", async () => {
  const project = createDriven(oneStep);
  const env = { XDG_CONFIG_HOME: join(project.home, ".config"), NO_COLOR: "1" };
  const terminal = openTerminal(project, ["run", "boat", "--agent", "command:./agent.sh"], { env });
  await terminal.until(/Start\? \[y\/N\] $/);
  terminal.type("\u0003");
  expect(await terminal.ended()).toMatchObject({
    code: 130,
    text: expect.stringMatching(/stopped\. Nothing was started\.\n$/),
  });
  expect(existsSync(join(project.root, ".holdfast/runs"))).toBe(false);
});

function begin(project: DrivenProject, more: readonly string[] = []): ChildProcessWithoutNullStreams {
  return project.begin([...words, ...more], { env: { XDG_CONFIG_HOME: join(project.home, ".config") } });
}

/** Resolves when the agent is at work. */
function working({ stdout }: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => stdout.on("data", (chunk) => String(chunk).includes("working") && resolve()));
}
