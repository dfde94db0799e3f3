import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ended } from "../cli/program.ts";
import { asleep, markedSleep, noneLeft } from "../platform/sleepers.ts";
import { createDriven, type DrivenProject, fromInside } from "./driven.ts";

const twoSteps = `
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it }
`;
const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";

/** Is heard of until the person is done. */
const waits = "while [ ! -f go ]; do echo . >&2; sleep 0.02; done";

describe("a person who acts while the agent works", () => {
  test("can pause the run: the result is kept, and counts after resuming without another prompt", async () => {
    const { project, ending } = await whileItWorks(oneStep, ["pause"]);
    expect(ending).toMatchObject({ type: "waits", next: expect.stringMatching(/holdfast resume/) });
    expect(await project.holdfast(["resume", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await project.drive()).toEqual({ type: "complete" });
    expect(project.prompts()).toHaveLength(1);
    expect(outputs(project)).toEqual(["build#1 the WORK"]);
  });

  test("can end the run: nothing of the result is applied", async () => {
    const { project, ending } = await whileItWorks(oneStep, ["abort", "--reason", "no WIND"]);
    expect(ending).toMatchObject({ type: "failed" });
    expect(outputs(project)).toEqual([]);
    expect(existsSync(join(project.runFolder(), "turn.json"))).toBe(false);
  });

  test("can move the run: the result is not that of the visit it was moved to", async () => {
    const { project, ending } = await whileItWorks(twoSteps, ["goto", "build", "--reason", "The plan is there"]);
    expect(ending).toEqual({ type: "complete" });
    expect(outputs(project)).toEqual(["build#1 the WORK"]);
    expect(project.prompts()).toHaveLength(2);
  });

  test("is told that the run is driven when they start a second runner", async () => {
    const project = createDriven(oneStep, `touch here\n${waits}; echo 'the WORK'`);
    const driving = project.drive();
    await expect.poll(() => existsSync(join(project.root, "here"))).toBe(true);
    const words = ["run", "--resume", "boat", "--agent", "command:./agent.sh", "--yes"];
    const second = await project.bundled(words);
    project.write("go", "");
    expect(await driving).toEqual({ type: "complete" });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/another `holdfast run` has been driving/) });
  });

  test("can end the run: the agent is ended soon, too", async () => {
    const sleep = markedSleep();
    const project = createDriven(oneStep, sleep);
    const driving = project.drive({ timers: { clockMs: 50 } });
    await asleep(sleep, 1);
    expect(await project.holdfast(["abort", "--reason", "no WIND", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await driving).toMatchObject({ type: "failed" });
    await noneLeft(sleep);
  });

  test.each([
    ["goes silent", `${waits}; SLEEP`],
    ["prints nothing", waits],
    ["fails", `${waits}; echo 'no WOOD'; exit 1`],
  ])("can end the run although the agent then %s", async (_how, script) => {
    const { ending } = await whileItWorks(oneStep, ["abort", "--reason", "no WIND"], script);
    expect(ending).toMatchObject({ type: "failed" });
  });
});

describe("a driven agent that calls Holdfast", () => {
  test("has its result recorded, is told to end its turn, and never sees the next visit", async () => {
    const project = createDriven(
      `
steps:
  - { id: judge, type: action, instructions: Judge it, outcomes: { good: next, bad: judge } }
  - { id: build, type: action, instructions: "Build the SECRET" }
`,
      `case "$prompt" in *SECRET*) echo done; exit ;; esac
${fromInside("next")} > seen-1 2>&1
${fromInside("advance --outcome good --output 'I said so'")} > seen-2 2>&1
${fromInside("next")} > seen-3 2>&1
echo 'and then I talked'`,
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(project.read("seen-1")).toMatch(/Judge it/);
    for (const file of ["seen-2", "seen-3"]) {
      expect(project.read(file)).toMatch(/recorded; end your turn now/);
      expect(project.read(file)).not.toMatch(/SECRET/);
    }
    expect(outputs(project)).toEqual(["judge#1 I said so", "build#1 done"]);
  });

  test("has ended its visit even if it prints nothing, or crashes after that", async () => {
    const end = `${fromInside("advance --output 'I said so'")} > /dev/null`;
    const project = createDriven(twoSteps, `${end}\ncase "$prompt" in *Build*) kill -9 $$ ;; esac`);
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(outputs(project)).toEqual(["plan#1 I said so", "build#1 I said so"]);
    expect(project.prompts()).toHaveLength(2);
  });

  test("has ended its visit even if it does not end its turn after that", async () => {
    const sleep = markedSleep();
    const end = `${fromInside("advance --output 'I said so'")} > /dev/null`;
    const project = createDriven(oneStep, `${end}\n${sleep}`);
    expect(await project.drive({ timers: { resultMs: 100, clockMs: 50 } })).toEqual({ type: "complete" });
    expect(outputs(project)).toEqual(["build#1 I said so"]);
    await noneLeft(sleep);
  });

  test("has failed if its program says so, whatever it has recorded", async () => {
    const project = createDriven(oneStep, `${fromInside("advance --output 'I said so'")} > /dev/null\nexit 1`);
    expect(await project.run()).toMatchObject({ code: 4 });
    expect(outputs(project)).toEqual([]);
  });

  test("can set the tasks of a loop, with nothing more to say", async () => {
    const project = createDriven(
      `
loops:
  build: [{ id: make, instructions: "Make {task.title}" }]
steps:
  - { id: build, type: loop, instructions: "List the PARTS" }
`,
      `case "$prompt" in
  *'Make the'*) echo made ;;
  *) echo '[{"id": "k", "title": "the KEEL"}]' | ${fromInside("tasks build")} > seen 2>&1 ;;
esac`,
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(project.read("seen")).toMatch(/recorded; end your turn now/);
    expect(project.read("seen")).not.toMatch(/KEEL/);
  });

  test.each(["echo 'I have asked'", "true"])("can ask a person, who is told how to answer: %s", async (then) => {
    const project = createDriven(
      oneStep,
      `if [ -f asked ]; then echo done; exit; fi\ntouch asked\n${fromInside("ask 'Oak or PINE?'")} > /dev/null\n${then}`,
    );
    expect(await project.run()).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/Oak or PINE\?[\s\S]*holdfast answer --run boat/),
    });
    expect(await project.holdfast(["answer", "OAK", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()[1]).toMatch(/OAK/);
  });

  test("can start no run, and drive none", async () => {
    const project = createDriven(
      oneStep,
      `${fromInside("start boat")} > started 2>&1
${fromInside("run boat --new --yes --agent command:./agent.sh")} > run 2>&1
${fromInside("run --resume $HOLDFAST_DRIVEN --yes --agent command:./agent.sh")} > resumed 2>&1
echo done`,
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(1);
    for (const file of ["started", "run", "resumed"]) {
      expect(project.read(file)).toMatch(/`holdfast run` drives you through boat-/);
    }
  });

  test("is refused what only a person may do", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ approval: human }] }]",
      `${fromInside("approve")} > approved 2>&1
${fromInside("trust boat --yes")} > trusted 2>&1
${fromInside("decide continue")} > decided 2>&1
echo done`,
    );
    expect(await project.run()).toMatchObject({ code: 4 });
    for (const file of ["approved", "trusted", "decided"]) expect(project.read(file)).toMatch(/person/);
    expect(project.events().map(({ type }) => type)).not.toContain("approval-given");
  });
});

describe("a loop with parallel tasks", () => {
  const loop = `
loops:
  build: [{ id: make, instructions: "Make {task.title}" }, { id: check, instructions: "Check {task.title}" }]
steps:
  - { id: build, type: loop, parallel: 2, tasks: { file: tasks.json } }
`;
  const tasks = JSON.stringify(["k", "m", "s"].map((id) => ({ id, title: `the ${id.toUpperCase()}` })));

  test("is done by one runner, a task after the other", async () => {
    const project = createDriven(loop);
    project.write("tasks.json", tasks);
    expect(await project.run()).toMatchObject({ code: 0 });
    const done = project.events().filter(({ type }) => type === "task-ended");
    expect(done).toMatchObject(
      [{ task: "k" }, { task: "m" }, { task: "s" }].map((each) => ({ ...each, status: "done" })),
    );
    expect(project.prompts()).toHaveLength(6);
  });

  test("goes on at once with the task of a runner that was killed", async () => {
    const project = createDriven(loop, "touch here; if [ ! -f go ]; then sleep 1000; fi; echo done");
    project.write("tasks.json", tasks);
    const env = { XDG_CONFIG_HOME: join(project.home, ".config") };
    const runner = project.begin(["run", "boat", "--agent", "command:./agent.sh", "--yes"], { env });
    const end = ended(runner);
    await expect.poll(() => existsSync(join(project.root, "here"))).toBe(true);
    runner.kill("SIGKILL");
    await end;
    project.write("go", "");
    expect(await project.resume()).toMatchObject({ code: 0 });
    const types = project.events().map(({ type }) => type);
    expect(types).not.toContain("claim-lost");
    expect(types.filter((type) => type === "visit-claimed")).toHaveLength(3);
  });

  test("waits while other agents have every task", async () => {
    const project = createDriven(loop);
    project.write("tasks.json", JSON.stringify([{ id: "k", title: "the K" }]));
    const env = { XDG_CONFIG_HOME: join(project.home, ".config") };
    expect(await project.holdfast(["start", "boat", "--session", "a"], { env })).toMatchObject({ code: 0 });
    expect(await project.holdfast(["next", "--session", "a"], { env })).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/other agents work on every open task/),
    });
    expect(project.prompts()).toEqual([]);
  });

  const approved = `
loops:
  build: [{ id: make, instructions: "Make {task.title}", gate: [{ approval: human }] }]
steps:
  - { id: build, type: loop, parallel: 3, tasks: { file: tasks.json } }
`;

  test("goes on with the free tasks while others wait for a person, and keeps all their results", async () => {
    const project = createDriven(approved, `printf 'made '; printf '%s' "$prompt" | grep -o 'the [KMS]' | tail -n1`);
    project.write("tasks.json", tasks);
    const waits = await project.run();
    expect(waits).toMatchObject({ code: 4, stdout: expect.stringMatching(/holdfast approve --run boat-\S+ --task k/) });
    expect(project.prompts()).toHaveLength(3);
    for (const task of ["m", "k", "s"]) {
      expect(await project.holdfast(["approve", "--task", task, ...project.asMara()])).toMatchObject({ code: 0 });
    }
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(3);
    expect(outputs(project).map((line) => line.replace(/^.*made /, ""))).toEqual(["the K", "the M", "the S"]);
    expect(existsSync(join(project.runFolder(), "turn.json"))).toBe(false);
  });

  test("comes back to a task as soon as the person has acted", async () => {
    const project = createDriven(
      loop,
      `case "$prompt" in
  *OAK*) ;;
  *'Make the K'*) ${fromInside("ask 'Oak or PINE?'")} > /dev/null; exit ;;
  *'Make the M'*) touch here; ${waits} ;;
esac
echo done`,
    );
    project.write("tasks.json", tasks);
    const driving = project.drive();
    await expect.poll(() => existsSync(join(project.root, "here"))).toBe(true);
    expect(await project.holdfast(["answer", "OAK", ...project.asMara()])).toMatchObject({ code: 0 });
    project.write("go", "");
    expect(await driving).toEqual({ type: "complete" });
    const again = project.prompts().findIndex((prompt) => prompt.includes("OAK"));
    expect(project.prompts()[again]).not.toMatch(/interrupted/);
    expect(project.prompts()).toHaveLength(7);
  });

  test("keeps the results that wait for a person when the runner is killed at another task", async () => {
    const project = createDriven(
      approved,
      `case "$prompt" in *'Make the M'*) touch here; if [ ! -f go ]; then sleep 1000; fi ;; esac; echo made`,
    );
    project.write("tasks.json", tasks);
    const env = { XDG_CONFIG_HOME: join(project.home, ".config") };
    const runner = project.begin(["run", "boat", "--agent", "command:./agent.sh", "--yes"], { env });
    const end = ended(runner);
    await expect.poll(() => existsSync(join(project.root, "here"))).toBe(true);
    runner.kill("SIGKILL");
    await end;
    project.write("go", "");
    expect(await project.holdfast(["approve", "--task", "k", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 4 });
    expect(project.prompts().filter((prompt) => prompt.includes("Make the K"))).toHaveLength(1);
    expect(project.prompts().filter((prompt) => prompt.includes("Make the M"))).toHaveLength(2);
    expect(outputs(project)).toHaveLength(1);
  });

  test("waits when a task has a question, and names it", async () => {
    const project = createDriven(
      loop,
      `case "$prompt" in
  *'Make the M'*) if [ ! -f asked ]; then touch asked; ${fromInside("ask 'Oak or PINE?'")} > /dev/null; fi ;;
esac
echo done`,
    );
    project.write("tasks.json", tasks);
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(/PINE[\s\S]*holdfast answer/) });
    expect(await project.holdfast(["answer", "OAK", ...project.asMara()])).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
  });
});

/** Drives an agent that works until a person has done something. */
async function whileItWorks(workflow: string, words: readonly string[], script = `${waits}; echo 'the WORK'`) {
  const sleep = markedSleep();
  const project = createDriven(workflow, `touch here\n${script.replace("SLEEP", sleep)}`);
  const driving = project.drive({ timers: { idleMs: 2_000 } });
  await expect.poll(() => existsSync(join(project.root, "here"))).toBe(true);
  expect(await project.holdfast([...words, ...project.asMara()])).toMatchObject({ code: 0 });
  project.write("go", "");
  if (script.includes("SLEEP")) await Promise.race([asleep(sleep, 1), driving]);
  return { project, ending: await driving };
}

/** The visits that have ended, each with its output. */
function outputs(project: DrivenProject): string[] {
  return project.events().flatMap(({ type, token, output }) => (type === "visit-ended" ? [`${token} ${output}`] : []));
}
