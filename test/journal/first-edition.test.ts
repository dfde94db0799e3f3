import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { eventTypes } from "../../src/model/event.ts";
import { formatFor } from "../../src/store/journal-line.ts";
import { makeWorld } from "../app/world.ts";

// A run that the version before journal format 2 wrote: a plan with an outcome, a loop, and a task that was tried again.
const fixture = join(import.meta.dirname, "fixtures/first-edition");
const runId = "old-20261116_043320-kzab";

test.each([
  ["with its snapshot", false],
  ["by its journal alone", true],
])("a run of the first edition loads %s, and goes on to its end", async (_name, alone) => {
  const world = makeWorld();
  cpSync(fixture, world.runFolder(runId), { recursive: true });
  if (alone) rmSync(join(world.runFolder(runId), "snapshot.json"));
  const agent = world.agent("s1");
  const here = await agent.ok("next", { run: runId });
  expect(here).toMatchObject({ workflow: "old", status: "running", step: "build", summary: "an old request" });
  // It compares what it has loaded with the whole journal.
  expect((await agent.ok("log", { run: runId })).events.length).toBeGreaterThan(5);
  let last = here;
  for (let n = 0; n < 8 && "status" in last && last.status === "running"; n++) {
    last = await agent.ok("advance", { run: runId, output: "done" });
  }
  expect(last).toMatchObject({ status: "complete" });
  expect((await agent.ok("context", { run: runId })).outputs).toMatchObject({ plan: "the plan", ship: "done" });
});

test("every moment of a run of the first edition can be looked at, and what was shown then is rebuilt", async () => {
  const world = makeWorld();
  cpSync(fixture, world.runFolder(runId), { recursive: true });
  const person = world.person();
  const { events } = await person.ok("log", { run: runId });
  for (const { seq } of events) {
    const { moment, instructions } = await person.ok("status", { run: runId, at: seq });
    expect(moment).toMatchObject({ event: seq, last: events.length });
    const { recorded, text } = await person.ok("handoff", { run: runId, at: seq });
    expect(recorded).toBeNull();
    // Between two visits there is nothing to do.
    if (instructions !== "") expect(text).toMatch(/\S/);
  }
  expect(await person.no("handoff", { run: runId, at: events.length + 1 })).toMatchObject({ code: "event-unknown" });
});

test("every event type that the first edition does not know needs format 2", () => {
  const known = new Set(
    readFileSync(join(import.meta.dirname, "fixtures/first-edition-events.txt"), "utf8")
      .trim()
      .split("\n"),
  );
  const formats = eventTypes.map((type) => [type, formatFor([{ type, tasks: [] } as unknown as RunEvent])]);
  expect(formats).toEqual(eventTypes.map((type) => [type, known.has(type) ? 1 : 2]));
});

test.each<[string, object]>([
  ["a task that depends on another", { type: "tasks-set", tasks: [{ id: "b", title: "B", depends_on: ["a"] }] }],
  ["a task that was skipped", { type: "task-ended", status: "skipped" }],
  ["a task that others worked on when the loop was left", { type: "visit-closed", reason: "left" }],
  ["a visit that several agents can claim", { type: "visit-entered", claim: null }],
])("%s needs format 2", (_, event) => {
  expect(formatFor([event as unknown as RunEvent])).toBe(2);
});
