import { beforeAll, expect, it } from "vitest";
import { createProject, type Project } from "./program.ts";

let project: Project;

/** A run at its second step: its first step has set a variable and left an output. */
beforeAll(async () => {
  project = createProject();
  project.write(
    ".holdfast/workflows/walk.yaml",
    `name: walk
description: Three steps
variables: { color: red }
steps:
  - { id: plan, type: action, instructions: "Plan in {vars.color}" }
  - { id: build, type: action, instructions: "Build after {outputs.plan}" }
  - { id: ship, type: action, instructions: Ship it }
`,
  );
  await project.holdfast(["start", "walk"]);
  await project.holdfast(["advance", "--output", "the plan\nin two lines", "--var", "color=blue"]);
});

/** What a command prints, without what differs from run to run. */
async function printed(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.holdfast(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>")
    .replace(/walk-\d{8}_\d{6}-\w+/g, "<run>")
    .replace(/ +running · .*$/m, " running");
}

it("prints the status at an event: which event it is, the steps as they were, and what was next", async () => {
  expect(await printed("status", "--at", "2")).toBe(`As of event 2 of 5, visit-entered, <time>
walk running
  ● plan    ○ build    ○ ship
  ● plan                                                            visit plan#1
  Next at that time: the agent works on this, then advances.
  Run:  <run>
`);
});

it("says of a moment between two events that were recorded at once that no agent worked then", async () => {
  expect(await printed("status", "--at", "3")).toBe(`As of event 3 of 5, visit-ended, <time>
walk running
  ● plan    ○ build    ○ ship
  Next at that time: the next event, which was recorded with this one.
  Run:  <run>
`);
});

it("prints what changed between two events, one line for each fact, whichever event is named first", async () => {
  const differences = `From event 1 (run-started, <time>) to event 5 (visit-entered, <time>): 4 events
  visit     build#1: attempt 1
  step      plan: visits 1, status done
  step      build: visits 1, status open
  variable  color: red -> blue
  output    plan: the plan in two lines
`;
  expect(await printed("diff", "1", "5")).toBe(differences);
  expect(await printed("diff", "5", "1")).toBe(differences);
  expect(await printed("diff", "2", "2")).toContain("\n  nothing changed\n");
});

it.each([["0"], ["-1"], ["two"], [""]])("refuses --at %j as the number of an event", async (number) => {
  for (const command of ["status", "handoff"]) {
    const { code, stderr } = await project.holdfast([command, `--at=${number}`]);
    expect(code).toBe(2);
    expect(stderr).toContain("usage: ");
  }
});

it.each([
  { words: ["handoff", "--at", "99"], next: "use a number from 1 to 5; `holdfast log` lists the events" },
  { words: ["status", "--at", "6"], next: "use a number from 1 to 5; `holdfast log` lists the events" },
  { words: ["diff", "1", "1000000000"], next: "use a number from 1 to 5; `holdfast log` lists the events" },
  { words: ["status", "--at", "2", "--run", "nope"], next: "list the runs with `holdfast runs`" },
  { words: ["diff", "1", "2", "--run", "nope"], next: "list the runs with `holdfast runs`" },
])("refuses $words and says what to name instead", async ({ words, next }) => {
  const { code, stdout, stderr } = await project.holdfast(words);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`Next   ${next}\n`);
  expect(await project.json(words)).toMatchObject({
    code: 1,
    value: { error: { next: expect.stringContaining(next) } },
  });
});

it("prints what an agent was shown at an event, or rebuilds it and says so", async () => {
  const rebuilt = await printed("handoff", "--at", "2");
  expect(rebuilt).toMatch(/^Rebuilt from the state after event 2: what was shown then was not recorded.\n\n<holdfast /);
  expect(rebuilt).toContain("Plan in red");
  expect(await printed("handoff")).toMatch(/^<holdfast .*Build after the plan.*<\/holdfast>\n$/s);
  const { stdout } = await project.holdfast(["next", "--session", "s1"]);
  const events = (await project.json(["log"])).value as { events: readonly object[] };
  const at = String(events.events.length);
  expect(await printed("handoff", "--at", at)).toBe(
    `Shown at event ${at} (<time>), as the output of a command, to session s1.\n\n${stdout.replace(/walk-\d{8}_\d{6}-\w+/g, "<run>")}`,
  );
  await project.holdfast(["next", "--session", "s1", "--json"]);
  const fields = await printed("handoff", "--at", at);
  expect(fields).toContain("\nstep: build\n");
  expect(await project.json(["handoff", "--at", at])).toMatchObject({
    code: 0,
    value: { event: Number(at), recorded: { kind: "command", session: "s1" } },
  });
});
