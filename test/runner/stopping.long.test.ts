import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ended } from "../cli/program.ts";
import { asleep, markedSleep, noneLeft } from "../platform/sleepers.ts";
import { createDriven, type DrivenProject } from "./driven.ts";

const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";
const howToGoOn = /^stopping\. .*\n {2}Next {3}holdfast run --resume boat-\S+ --agent command:\S+\n$/;
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

function begin(project: DrivenProject): ChildProcessWithoutNullStreams {
  return project.begin(words, { env: { XDG_CONFIG_HOME: join(project.home, ".config") } });
}

/** Resolves when the agent is at work. */
function working({ stdout }: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => stdout.on("data", (chunk) => String(chunk).includes("working") && resolve()));
}
