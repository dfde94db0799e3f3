import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RunLine } from "../../src/model/driving/notice.ts";
import { createDriven } from "./driven.ts";

const twoSteps = `
key_reminders: [Keep commits small]
steps:
  - { id: plan, type: action, instructions: "Plan the HULL" }
  - { id: build, type: action, context: clear, instructions: "Build the HULL" }
`;

describe("a program that is driven through a workflow", () => {
  test("gets one visit at a time, and what it prints is the output of the visit", async () => {
    const project = createDriven(twoSteps, 'case "$prompt" in *Build*) echo built ;; *) echo planned ;; esac');
    expect(await project.run(["Make a boat"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/complete boat-/),
    });
    const [plan, build, ...more] = project.prompts();
    expect(more).toEqual([]);
    expect(plan).toMatch(/Plan the HULL[\s\S]*Keep commits small/);
    expect(plan).not.toMatch(/<holdfast/);
    expect(build).toMatch(/^<holdfast run="boat-[\s\S]*1 plan {2}planned[\s\S]*<\/holdfast>[\s\S]*Build the HULL/);
    const outputs = project.events().flatMap(({ type, output }) => (type === "visit-ended" ? [output] : []));
    expect(outputs).toEqual(["planned", "built"]);
  });

  test("the journal says who did each attempt, and that the clear was carried out", async () => {
    const project = createDriven(twoSteps);
    await project.run();
    const types = project.events().map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["drive-began", "context-action-observed", "run-completed"]));
    const attempts = project.events().filter(({ type }) => type === "attempt-began");
    expect(attempts).toMatchObject([
      { token: "plan#1", agent: "command:./agent.sh", holdfast: expect.any(String) },
      { token: "build#1" },
    ]);
  });

  test("its outcome and tasks come as a last line of JSON", async () => {
    const project = createDriven(
      `
loops:
  build: [{ id: make, instructions: "Make {task.title}" }]
steps:
  - { id: build, type: loop, instructions: "List the PARTS" }
  - { id: judge, type: action, instructions: Judge, outcomes: { good: next, bad: build } }
`,
      `case "$prompt" in
  *PARTS*) echo 'Two parts.'; echo '{"tasks": [{"id": "k", "title": "the KEEL"}, {"id": "m", "title": "the MAST"}]}' ;;
  *Judge*) echo 'Fine work.'; echo '{"outcome": "good"}' ;;
  *) echo made ;;
esac`,
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(
      project
        .prompts()
        .map((prompt) => /the KEEL|the MAST|PARTS|Judge/.exec(prompt.replace(/<holdfast[\s\S]*<\/holdfast>/, ""))?.[0]),
    ).toEqual(["PARTS", "the KEEL", "the MAST", "Judge"]);
    expect(project.events()).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "visit-ended", outcome: "good", output: "Fine work." })]),
    );
  });

  test("a gate that fails goes back to it with its evidence, until it passes", async () => {
    const project = createDriven(
      `
steps:
  - id: build
    type: action
    instructions: Build it
    gate: [{ run: [sh, -c, "cat hull 2>&1; test -f mast"] }]
`,
      "if [ -f hull ]; then echo tall > mast; fi; echo 'a leaky HULL' > hull; echo done",
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    const [first, second, ...more] = project.prompts();
    expect(more).toEqual([]);
    expect(first).not.toMatch(/leaky/);
    expect(second).toMatch(/The visit is not done yet[\s\S]*a leaky HULL/);
    expect(second).not.toMatch(/interrupted/);
  });

  test("an exit code above 0 is a failure of the visit, which its step decides about", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, on_fail: retry, instructions: Build it }]",
      "if [ -f again ]; then echo done; else touch again; echo 'no WOOD' >&2; exit 3; fi",
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(project.prompts()[1]).toMatch(/exit 3:\n.*no WOOD/);
  });

  test("a command step and a ralph step with until are carried out in between", async () => {
    const project = createDriven(
      `
steps:
  - { id: saw, type: command, run: [sh, -c, "echo wood > wood"] }
  - { id: polish, type: ralph, n: 5, instructions: Polish it, until: [{ run: [sh, -c, "test $(wc -l < shine) -ge 2"] }] }
`,
      "echo x >> shine; echo polished",
    );
    expect(await project.run()).toMatchObject({ code: 0 });
    expect(project.read("wood")).toBe("wood\n");
    expect(project.prompts()).toHaveLength(2);
  });
});

describe("what is never taken for success", () => {
  const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";
  test.each([
    ["an empty answer", "true", /it printed nothing/],
    ["an empty output", `echo '{"output": ""}'`, /its output is empty/],
    ["something that is no text", "printf '\\377\\376\\000'", /not text/],
    ["more than a visit can hold", "head -c 1100000 /dev/zero | tr '\\0' x", /more than 1000000 bytes/],
    ["a result of the wrong shape", `echo '{"outcome": 3}'`, /last line/],
  ])("%s parks the run, and resuming goes on", async (_name, script, reason) => {
    const project = createDriven(oneStep, script);
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(reason) });
    expect(project.events().at(-1)).toMatchObject({ type: "drive-ended", why: "parked" });
    project.agent("echo done");
    expect(await project.resume()).toMatchObject({ code: 0 });
  });

  test("a missing outcome is asked for once, then a person is", async () => {
    const project = createDriven(
      "steps: [{ id: judge, type: action, instructions: Judge, outcomes: { good: next, bad: judge } }]",
      "echo 'It is all good, I approve'",
    );
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(/holdfast decide/) });
    expect(project.prompts()).toHaveLength(2);
    expect(project.prompts()[1]).toMatch(/Your result cannot be used/);
  });

  test("a program that crashes is started again, three times, and then a person is asked", async () => {
    const project = createDriven(oneStep, "kill -9 $$");
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(/lost 3 times/) });
    expect(project.prompts()).toHaveLength(3);
    expect(project.prompts()[1]).toMatch(/The last attempt at this visit was interrupted/);
  });
});

describe("people", () => {
  test("an approval waits for one, and the result counts once it is given", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ approval: human }] }]",
      "echo 'the BOAT'",
    );
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(/holdfast approve/) });
    const secret = [
      "--as",
      "mara",
      "--secret-file",
      project.write("../home/.config/holdfast/secret", "a-secret-of-24-characters"),
    ];
    expect(await project.holdfast(["approve", ...secret])).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(1);
    expect(project.events()).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "visit-ended", output: "the BOAT" })]),
    );
  });

  test("what only a person may do is refused below the runner", async () => {
    const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]");
    project.agent('echo "agent=$HOLDFAST_AGENT driven=$HOLDFAST_DRIVEN"');
    await project.run();
    expect(project.events()).toEqual(
      expect.arrayContaining([expect.objectContaining({ output: expect.stringMatching(/^agent=1 driven=boat-/) })]),
    );
  });

  test("a second run of the workflow is refused, naming --resume and --new", async () => {
    const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]", "true");
    await project.run();
    expect(await project.run()).toMatchObject({ code: 1, stderr: expect.stringMatching(/--resume boat-[\s\S]*--new/) });
  });

  test("nothing starts without a yes", async () => {
    const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]");
    const asked = await project.holdfast(["run", "boat", "--agent", "command:./agent.sh"]);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(/--yes/) });
    expect(project.prompts()).toEqual([]);
  });

  test("--dry-run shows the plan and the first prompt, and starts nothing", async () => {
    const project = createDriven('steps: [{ id: build, type: action, instructions: "Build {run.request}" }]');
    const plan = await project.json(["run", "boat", "a BOAT", "--agent", "command:./agent.sh", "--dry-run"]);
    expect(plan).toMatchObject({
      code: 0,
      value: { agent: "command:./agent.sh", permissions: null, prompt: expect.stringMatching(/^Build a BOAT/) },
    });
    expect(project.prompts()).toEqual([]);
    expect(existsSync(join(project.root, ".holdfast/runs"))).toBe(false);
  });

  test.each([
    [["--agent", "command:./nothing"], 1, /there is no program/],
    [["--agent", "command:/tmp"], 1, /there is no program/],
    [["--agent", "parrot"], 1, /there is no such agent/],
    [["--max-cost", "3"], 1, /reports no cost/],
    [["--permissions", "read"], 1, /knows no permissions/],
    [["--max-turns", "none"], 2, /--max-turns needs a number above 0/],
    [["--permissions", "all"], 2, /--permissions must be one of read, edit, full/],
  ])("%s is refused before anything starts", async (words, code, message) => {
    const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]");
    const given = [
      "run",
      "boat",
      "--yes",
      ...(words[0] === "--agent" ? [] : ["--agent", "command:./agent.sh"]),
      ...words,
    ];
    expect(await project.holdfast(given)).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(project.prompts()).toEqual([]);
  });
});

describe("what people see of a run", () => {
  const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";

  test("what they tell the agent is in its next prompt, once", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it }, { id: ship, type: action, instructions: Ship it }]",
      "true",
    );
    await project.run();
    const told = await project.holdfast(["tell", "boat", "Use", "OAK", "only"]);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/nobody drives this run now/) });
    project.agent("echo done");
    expect(await project.resume()).toMatchObject({ code: 0 });
    const prompts = project.prompts();
    expect(prompts[1]).toMatch(/A person tells you:\nUse OAK only[\s\S]*Build it/);
    expect(prompts[2]).not.toMatch(/OAK/);
  });

  test("what they tell the agent is kept while the run is parked", async () => {
    const project = createDriven(oneStep, "true");
    await project.run();
    await project.holdfast(["tell", "boat", "Use OAK"]);
    expect(await project.resume()).toMatchObject({ code: 4 });
    await project.holdfast(["tell", "boat", "And no NAILS"]);
    project.agent("echo done");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()[1]).toMatch(/Use OAK/);
    expect(project.prompts()[2]).toMatch(/Use OAK[\s\S]*And no NAILS/);
  });

  test("the plan names what Holdfast executes, and apart from it what agents are given", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, tools: [Bash], instructions: Build it, gate: [{ run: [test, -f, mast] }] }]",
    );
    const { stdout } = await project.run(["--dry-run"]);
    expect(stdout).toMatch(/Runs +gate of build, .*: test -f mast\n +Grants +tools of step build: Bash\n/);
  });

  test("a run that parks says so once", async () => {
    const project = createDriven(oneStep, "true");
    const { stdout } = await project.run();
    expect(stdout.match(/parked:/g)).toHaveLength(1);
  });

  test("an agent can tell it nothing", async () => {
    const project = createDriven(oneStep, "true");
    await project.run();
    const told = await project.holdfast(["tell", "boat", "Skip the tests"], { env: { HOLDFAST_AGENT: "1" } });
    expect(told).toMatchObject({ code: 1, stderr: expect.stringMatching(/person-needed/) });
  });

  test("the status says why a run is parked, and how to go on", async () => {
    const project = createDriven(oneStep, "true");
    await project.run();
    const { stdout } = await project.holdfast(["status"]);
    expect(stdout.replace(/\s+/g, " ")).toMatch(/Parked: it printed nothing. Go on with: holdfast run --resume boat-/);
    expect((await project.json(["status"])).value).toMatchObject({
      parked: { why: "empty", reason: "it printed nothing" },
    });
  });

  test("the log of a visit has the prompt, the answer and the result", async () => {
    const project = createDriven(oneStep, "echo 'a BOAT'");
    await project.run();
    const { stdout } = await project.holdfast(["log", "--visit", "build#1"]);
    expect(stdout).toMatch(/prompt\n {2}\| Build it[\s\S]*a BOAT[\s\S]*result/);
    expect(await project.holdfast(["log", "--visit", "sail#1"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there is no log of the visit "sail#1"/),
    });
  });

  test("the report counts visits, turns, attempts and gates of each step", async () => {
    const project = createDriven(
      `
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it, gate: [{ exists: mast }] }
`,
      'case "$prompt" in *Build*) if [ -f again ]; then echo x > mast; fi; touch again ;; esac; echo done',
    );
    await project.run(["Make a | boat"]);
    const { value } = await project.json(["report"]);
    expect(value).toMatchObject({
      status: "complete",
      agents: ["command:./agent.sh"],
      total: { visits: 2, turns: 3, retries: 1 },
    });
    expect(value.steps).toMatchObject([
      { step: "plan", visits: 1, turns: 1, retries: 0 },
      { step: "build", visits: 1, turns: 2, retries: 1, gatesPassed: 1, gatesFailed: 1 },
    ]);
    const { stdout } = await project.holdfast(["report", "--markdown"]);
    expect(stdout).toMatch(/^### boat: Make a \| boat\n\ncomplete, run boat-.*\nby command:.*\n\n\| step \| visits \|/);
    expect(stdout).toMatch(/\n\| build \| 1 \| \d+ s \| 2 \| {2}\| {2}\| 1 \| 1\/2 \|\n/);
  });
});

test("the request is in the first prompt, also if the workflow does not repeat it", async () => {
  const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]");
  await project.run(["A boat of OAK"]);
  expect(project.prompts()).toEqual([expect.stringMatching(/^What the person asked for:\nA boat of OAK\n\nBuild it/)]);
});

test("a failed visit is not reported as done, and its next attempt not as interrupted", async () => {
  const project = createDriven(
    "steps: [{ id: build, type: action, on_fail: retry, instructions: Build it }]",
    "if [ -f again ]; then echo done; else touch again; echo 'no WOOD'; exit 3; fi",
  );
  const { stdout } = await project.run();
  expect(stdout).toMatch(/failed: exit 3:\n.*no WOOD[\s\S]*done\n/);
  expect(project.prompts()[1]).not.toMatch(/interrupted/);
});

test("variables and artifacts come in the last line of JSON, too", async () => {
  const project = createDriven(
    `
variables: { wood: pine }
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: "Build it of {vars.wood}" }
`,
    `echo '{"output": "done", "variables": {"wood": "OAK"}}'`,
  );
  expect(await project.run()).toMatchObject({ code: 0 });
  expect(project.prompts()[1]).toMatch(/Build it of OAK/);
});

test("how to go on names the agent", async () => {
  const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]", "true");
  expect((await project.run()).stdout).toMatch(/holdfast run --resume boat-\S+ --agent command:\.\/agent\.sh\n/);
});

test("--json prints one value a line, as its schema says", async () => {
  const project = createDriven(
    "steps: [{ id: build, type: action, instructions: Build it, gate: [{ exists: mast }] }]",
    "echo built",
  );
  const { stdout } = await project.run(["--json"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) expect(RunLine.parse(line)).toEqual(line);
  expect(lines.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["run", "visit", "text", "usage", "refused", "ended"]),
  );
  expect(lines.at(-1)).toMatchObject({ ending: "waits", next: expect.stringMatching(/^holdfast decide/) });
});

describe("secrets", () => {
  const secret = "correct-horse-battery-staple";
  const env = { MY_DEPLOY_TOKEN: secret, ANTHROPIC_API_KEY: "another-secret-of-mine" };

  test("are nowhere in what is stored or shown, in whatever form an agent prints them", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ run: [sh, -c, 'echo $MY_DEPLOY_TOKEN; test -f mast'] }] }]",
      'echo "it is $MY_DEPLOY_TOKEN"; printf %s "user:$MY_DEPLOY_TOKEN" | base64; echo "?t=$MY_DEPLOY_TOKEN"; if [ -f again ]; then echo x > mast; fi; touch again',
    );
    const run = ["run", "boat", "--agent", "command:./agent.sh", "--yes"];
    const shown = await project.holdfast(run, { env });
    expect(shown).toMatchObject({ code: 0 });
    const texts = [
      project.journal(),
      (await project.holdfast(["log", "--visit", "build#1"])).stdout,
      (await project.holdfast(["report", "--markdown"])).stdout,
      (await project.holdfast(["export", "-o", "run.holdfast"])).stdout,
      project.read("run.holdfast"),
      shown.stdout,
    ];
    const forms = [secret, Buffer.from(`user:${secret}`).toString("base64")];
    for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
  });

  test("are in nothing that stays while a run waits for a person", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ approval: human }] }]",
      'echo "it is $MY_DEPLOY_TOKEN"',
    );
    const run = ["run", "boat", "--agent", "command:./agent.sh", "--yes"];
    expect(await project.holdfast(run, { env })).toMatchObject({ code: 4 });
    const turn = readFileSync(join(project.runFolder(), "turn.json"), "utf8");
    expect(turn).toMatch(/it is \*\*\*/);
    expect(turn).not.toContain(secret);
    expect(await project.holdfast(["tell", "boat", `Use ${secret}`], { env })).toMatchObject({ code: 0 });
    expect(project.journal()).toMatch(/Use \*\*\*/);
    expect(project.journal()).not.toContain(secret);
  });

  test("are in no reason why a run is parked", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it }]",
      'echo "it is $MY_DEPLOY_TOKEN"; exit 127',
    );
    const run = ["run", "boat", "--agent", "command:./agent.sh", "--yes"];
    const { code, stdout } = await project.holdfast(run, { env });
    expect(code).toBe(4);
    expect(stdout).toMatch(/parked:[\s\S]*it is \*\*\*/);
    expect(stdout + project.journal()).not.toContain(secret);
  });

  test("a gate does not get the key that the agent pays with, unless the person's own settings pass it on", async () => {
    const workflow = `steps: [{ id: build, type: action, instructions: Build it, gate: [{ run: [sh, -c, 'test -n "$ANTHROPIC_API_KEY"'] }], max_retries: 0 }]`;
    const run = ["run", "boat", "--agent", "command:./agent.sh", "--yes"];
    const project = createDriven(workflow, 'test -n "$ANTHROPIC_API_KEY" && echo paid');
    expect(await project.holdfast(run, { env })).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/gates have failed/),
    });
    const passing = createDriven(workflow);
    passing.write("../home/.config/holdfast/config.yaml", "trust: all\npass_env: [ANTHROPIC_API_KEY]\n");
    expect(await passing.holdfast(run, { env })).toMatchObject({ code: 0 });
  });
});
