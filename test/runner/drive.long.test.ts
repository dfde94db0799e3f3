import { describe, expect, test } from "vitest";
import { createDriven } from "./driven.ts";

describe("a program that is driven through a workflow", () => {
  test("a gate that never passes ends with a question to a person, who can let it try again", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, max_retries: 1, instructions: Build it, gate: [{ exists: mast }] }]",
    );
    const waits = await project.run();
    expect(waits).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/its gates have failed 2 times, last: .*mast[\s\S]*holdfast decide/),
    });
    expect(project.prompts()).toHaveLength(2);
    expect(await project.resume()).toMatchObject({ code: 4 });
    expect(project.prompts()).toHaveLength(2);
  });

  test("a gate that never passes names the task of the loop", async () => {
    const project = createDriven(
      `loops: { make: [{ id: saw, instructions: Saw it, gate: [{ exists: mast }] }] }
steps: [{ id: make, type: loop, tasks: { file: tasks.json } }]`,
    );
    project.write("tasks.json", '[{ "id": "k", "title": "keel" }]');
    expect(await project.run()).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/"make" \(task k\) failed: its gates have failed 4 times, last: .*mast/),
    });
  });

  test("a workflow that nobody trusts any more waits for a person, and the result counts once they trust it", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ run: [test, -f, agent.sh] }] }]",
      "rm ../home/.config/holdfast/config.yaml; echo done",
    );
    expect(await project.run()).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/waits for you: [\s\S]*nobody has trusted[\s\S]*holdfast trust/),
    });
    project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(1);
  });

  test("a failure without a word has a reason, too", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, on_fail: abort, instructions: Build it }]",
      `echo '{"failed": true}'`,
    );
    expect(await project.run()).toMatchObject({ stdout: expect.stringMatching(/failed: the agent gave no reason/) });
  });

  test("an exit code that no signal has is a failure, too", async () => {
    const project = createDriven("steps: [{ id: build, type: action, instructions: Build it }]", "exit 255");
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringMatching(/failed: exit 255/) });
    expect(project.prompts()).toHaveLength(1);
  });
});

describe("people", () => {
  test("a rejection goes back to the agent with its reason", async () => {
    const project = createDriven(
      "steps: [{ id: build, type: action, instructions: Build it, gate: [{ approval: human }] }]",
    );
    await project.run();
    const secret = [
      "--as",
      "mara",
      "--secret-file",
      project.write("../home/.config/holdfast/secret", "a-secret-of-24-characters"),
    ];
    await project.holdfast(["reject", "--reason", "No RUDDER", ...secret]);
    expect(await project.resume()).toMatchObject({ code: 4 });
    expect(project.prompts()[1]).toMatch(/No RUDDER/);
  });
});
