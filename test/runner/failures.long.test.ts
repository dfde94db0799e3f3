import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ended } from "../cli/program.ts";
import { asleep, markedSleep, noneLeft } from "../platform/sleepers.ts";
import { createDriven, type DrivenProject } from "./driven.ts";

const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";

/** Works until it is stopped the first time, and answers the second time. */
function stopsOnce(sleep: string): string {
  return `if [ -f again ]; then echo done; exit; fi\ntouch again\n${sleep}\necho late`;
}

function types(project: DrivenProject): string[] {
  return project.events().map(({ type }) => type);
}

describe("an agent that misbehaves", () => {
  test("is ended with everything it has started when it falls silent, and after three times a person is asked", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, `${sleep} & ${sleep}`);
    expect(await project.drive({ timers: { idleMs: 200 } })).toMatchObject({
      type: "waits",
      reason: expect.stringMatching(/lost 3 times, last: nothing was heard from the agent/),
      next: expect.stringMatching(/holdfast decide/),
    });
    await noneLeft(sleep);
    expect(types(project).filter((type) => type === "attempt-lost")).toHaveLength(3);
  });

  test("is waited for, however long a person allows it to be silent", async () => {
    const project = createDriven(oneStep, "sleep 0.3\necho done");
    expect(await project.drive({ timers: { idleMs: 40_000 * 60_000 } })).toMatchObject({ type: "complete" });
    expect(types(project)).not.toContain("attempt-lost");
  });

  test("is told again what people have said when it was lost before it could answer", async () => {
    const project = createDriven(oneStep, "true");
    await project.run();
    expect(await project.holdfast(["tell", "boat", "Use", "OAK", ...project.asMara()])).toMatchObject({ code: 0 });
    project.agent("if [ -f again ]; then echo done; else touch again; kill -9 $$; fi");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts().map((prompt) => prompt.includes("Use OAK"))).toEqual([false, true, true]);
  });

  test("is told again what people have said when the runner was killed before it answered", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, "true");
    await project.run();
    expect(await project.holdfast(["tell", "boat", "Use", "OAK", ...project.asMara()])).toMatchObject({ code: 0 });
    project.agent(stopsOnce(sleep));
    const env = { XDG_CONFIG_HOME: join(project.home, ".config") };
    const runner = project.begin(["run", "--resume", "boat", "--agent", "command:./agent.sh", "--yes"], { env });
    const end = ended(runner);
    await asleep(sleep, 1);
    runner.kill("SIGKILL");
    await end;
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts().map((prompt) => prompt.includes("Use OAK"))).toEqual([false, true, true]);
    await noneLeft(sleep);
  });

  test("is never taken for done because it exits with 0 when it is ended", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, `trap 'exit 0' TERM\necho 'I have only BEGUN'\n${sleep} & wait`);
    expect(await project.drive({ timers: { idleMs: 300 } })).toMatchObject({ type: "waits" });
    expect(types(project)).not.toContain("visit-ended");
    await noneLeft(sleep);
  });

  test("is never taken for failed because it exits with 1 when it is ended", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, `trap 'exit 1' TERM\n${sleep} & wait`);
    expect(await stopWhenAsleep(project, sleep)).toMatchObject({ type: "interrupted" });
    expect(types(project)).not.toContain("visit-failed");
  });

  test("is killed when it ignores that it should end", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, `trap '' TERM\n${sleep}`);
    expect(await stopWhenAsleep(project, sleep)).toMatchObject({ type: "interrupted" });
    await noneLeft(sleep);
  });

  test("need not read its prompt, however long that is", async () => {
    const project = createDriven(`steps: [{ id: build, type: action, instructions: "${"Build it. ".repeat(9_000)}" }]`);
    project.write("agent.sh", "#!/bin/sh\nexec <&-\necho done\n");
    expect(await project.drive()).toEqual({ type: "complete" });
  });

  test("may leave children behind that hold its output: they are ended with its turn", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, `${sleep} &\nsetsid ${sleep} &\necho done`);
    expect(await project.drive()).toEqual({ type: "complete" });
    await noneLeft(sleep);
  });

  test("cannot turn the logs into a link: nothing is written through it, and the runner ends", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it }, { id: sail, type: action, instructions: Sail it }]",
      "mkdir -p elsewhere; cd .holdfast/runs/*/; rm -r visits; ln -s ../../../elsewhere visits; echo done",
    );
    expect(await project.run()).toMatchObject({ code: 3 });
    expect(readdirSync(join(project.root, "elsewhere"))).toEqual([]);
  });

  test("may print megabytes beside its answer", async () => {
    const project = createDriven(oneStep, "head -c 3000000 /dev/zero | tr '\\0' 'x' | fold >&2; echo done");
    expect(await project.drive()).toEqual({ type: "complete" });
    expect(project.events()).toEqual(expect.arrayContaining([expect.objectContaining({ output: "done" })]));
  });
});

test("a disk that is full in the middle of a turn ends the agent and the runner, and resuming goes on", async () => {
  const sleep = markedSleep();
  const project = createDriven(oneStep, `echo working\n${sleep}`);
  const logs = {
    write(_token: string, { type }: Readonly<Record<string, unknown>>) {
      if (type === "text") throw new Error("no space left on device");
    },
    close() {},
  };
  await expect(project.drive({ logs })).rejects.toThrow("no space left on device");
  await noneLeft(sleep);
  project.agent("echo done");
  expect(await project.drive()).toEqual({ type: "complete" });
});

describe("Ctrl-C", () => {
  test("in the middle of a turn ends the agent, and resuming gives it the visit again", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, stopsOnce(sleep));
    expect(await stopWhenAsleep(project, sleep)).toEqual({ type: "interrupted" });
    await noneLeft(sleep);
    expect(project.events().at(-1)).toMatchObject({ type: "drive-ended", why: "interrupted" });
    expect(await project.drive()).toEqual({ type: "complete" });
    expect(project.prompts()[1]).toMatch(/The last attempt at this visit was interrupted/);
    expect(types(project)).not.toContain("attempt-lost");
  });

  test("in the middle of a gate ends the gate, and resuming checks the result without asking for it again", async () => {
    const sleep = markedSleep();
    const project = createDriven(
      `steps: [{ id: build, type: action, instructions: Build it, gate: [{ run: [sh, ./gate.sh] }] }]`,
      "echo 'the BOAT'",
    );
    project.write("gate.sh", stopsOnce(sleep));
    expect(await stopWhenAsleep(project, sleep)).toEqual({ type: "interrupted" });
    await noneLeft(sleep);
    expect(project.events().at(-1)).toMatchObject({ type: "drive-ended", why: "interrupted" });
    expect(await project.drive()).toEqual({ type: "complete" });
    expect(project.prompts()).toHaveLength(1);
    expect(project.events()).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "visit-ended", output: "the BOAT" })]),
    );
    expect(existsSync(join(project.runFolder(), "turn.json"))).toBe(false);
  });

  test("in the middle of a command step ends the command, and resuming runs a repeatable one again", async () => {
    const sleep = markedSleep();
    const project = createDriven("steps: [{ id: saw, type: command, repeatable: true, run: [sh, ./saw.sh] }]");
    project.write("saw.sh", stopsOnce(sleep));
    expect(await stopWhenAsleep(project, sleep)).toEqual({ type: "interrupted" });
    await noneLeft(sleep);
    expect(await project.drive()).toEqual({ type: "complete" });
  });
});

describe("limits", () => {
  const twoSteps = `
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it }
`;

  test("--max-turns parks the run between two turns, and resuming goes on as if nothing had been tried", async () => {
    const project = createDriven(twoSteps);
    expect(await project.run(["--max-turns", "1"])).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/--max-turns 1 is reached[\s\S]*--resume/),
    });
    expect(project.prompts()).toHaveLength(1);
    expect(await project.resume(["--max-turns", "1"])).toMatchObject({ code: 0 });
    expect(project.prompts()[1]).not.toMatch(/interrupted/);
  });

  test("--max-minutes ends a turn that takes longer", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, sleep);
    expect(await project.drive({ most: { minutes: 0.01 }, timers: { clockMs: 100 } })).toMatchObject({
      type: "parked",
      why: "budget",
      reason: "--max-minutes 0.01 is reached",
    });
    await noneLeft(sleep);
    project.agent("echo done");
    expect(await project.drive()).toEqual({ type: "complete" });
  });

  test("a spent budget of the workflow waits for a person, and the result counts when they have decided", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, budget: { turns: 1 } }]",
      "echo 'the BOAT'",
    );
    expect(await project.run()).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/budget[\s\S]*holdfast decide/),
    });
    expect(project.prompts()).toHaveLength(1);
    expect(await project.holdfast(["decide", "continue", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(1);
  });

  test.each([
    ["skip", 0, ["TRY", "REPAIR"]],
    ["abort", 1, ["TRY"]],
    ["{ go_to: repair }", 0, ["TRY", "REPAIR"]],
    ["retry", 0, ["TRY", "TRY", "REPAIR"]],
  ])("a failure takes the way of its step: on_fail: %s", async (way, code, asked) => {
    const project = createDriven(
      `
steps:
  - { id: try, type: action, instructions: "TRY it", on_fail: ${way} }
  - { id: repair, type: action, instructions: "REPAIR it" }
`,
      "if [ ! -f tried ]; then touch tried; echo 'no WOOD'; exit 3; fi; echo done",
    );
    expect(await project.run()).toMatchObject({ code });
    expect(project.prompts().map((prompt) => /TRY|REPAIR/.exec(prompt)?.[0])).toEqual(asked);
  });
});

/** Stops the runner as soon as what it drives is asleep. */
async function stopWhenAsleep(project: DrivenProject, sleep: string) {
  const stop = new AbortController();
  const ending = project.drive({ signal: stop.signal });
  await Promise.race([asleep(sleep, 1), ending]);
  stop.abort();
  return ending;
}
