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

/** The events that version 0.1.0 knew, each with its fields. To anything else in a line of format 1 it says that the journal is damaged. */
const firstEdition = new Map(
  readFileSync(join(import.meta.dirname, "fixtures/first-edition-events.txt"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([type = "", ...fields]) => [type, new Set(["seq", "at", "type", ...fields])]),
);

test("every event type and every field that the first edition does not know needs format 2", () => {
  const { oneOf } = JSON.parse(readFileSync("schema/event.json", "utf8"));
  const empty = { tasks: [], artifacts: [], note: null };
  for (const { properties } of oneOf) {
    const type = properties.type.const;
    const known = firstEdition.get(type);
    expect([type, formatFor([{ ...empty, type } as unknown as RunEvent])]).toEqual([type, known === undefined ? 2 : 1]);
    for (const field of Object.keys(properties).filter((name) => known?.has(name) === false)) {
      const event = { ...empty, type, [field]: "new" };
      expect([type, field, formatFor([event as unknown as RunEvent])]).toEqual([type, field, 2]);
    }
  }
  expect(oneOf).toHaveLength(eventTypes.length);
});

test.each<[string, object]>([
  ["a task that depends on another", { type: "tasks-set", tasks: [{ id: "b", title: "B", depends_on: ["a"] }] }],
  ["a task that was skipped", { type: "task-ended", status: "skipped" }],
  ["a task that others worked on when the loop was left", { type: "visit-closed", reason: "left" }],
  ["a visit that several agents can claim", { type: "visit-entered", note: null, claim: null }],
  ["a visit with a new kind of note", { type: "visit-entered", note: { from: "goto", text: "" } }],
  ["an artifact that was loaded in part", { type: "artifacts-loaded", artifacts: [{ excerpt: true }] }],
])("%s needs format 2", (_, event) => {
  expect(formatFor([event as unknown as RunEvent])).toBe(2);
});
