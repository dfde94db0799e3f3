import fc from "fast-check";
import { expect, test } from "vitest";
import { eventsOfRun, longRun } from "../../../bench/long-run.ts";
import { eventsBetween } from "../../../src/app/digest/events-between.ts";
import { digestOf } from "../../../src/app/digest/run-digest.ts";
import { emptyProjection, type Projection, project } from "../../../src/journal/projection.ts";
import { begun } from "../../../src/journal/run-journal.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { createMemoryStore } from "../../../src/store/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { cases } from "../../dose.ts";

const run = longRun(10_000);

/** A long run with a gate before the end of most visits, and how many of its events were read. */
async function gatedRun() {
  const memory = createMemoryStore();
  const states: Projection[] = [];
  let [version, seq] = [0, 0];
  for (const events of eventsOfRun(run)) {
    const gated = events.flatMap((event): readonly object[] => {
      if (event.type !== "visit-ended" || event.seq % 3 === 0) return [event];
      const { token, at } = event;
      const evidence = [{ what: `npm test -- ${event.seq % 2}`, held: event.seq % 5 > 0, detail: "" }];
      return [{ type: "gates-checked", seq: 0, at, token, purpose: "gate", evidence }, event];
    });
    const numbered = gated.map((event) => ({ ...event, seq: ++seq }) as RunEvent);
    const commit = await memory.append(run.runId, version, numbered);
    version = commit.version;
    states.push(project(states.at(-1) ?? emptyProjection, commit));
  }
  const reads = { events: 0 };
  const open = (): Store => ({
    ...memory,
    async *read(runId, from) {
      for await (const commit of memory.read(runId, from)) {
        reads.events += commit.events.length;
        yield commit;
      }
    },
  });
  return { open, reads, states, last: seq };
}

test("what happened between two moments is the same for a new process and for a server, which reads a small part of it", async () => {
  const { open, reads, states, last } = await gatedRun();
  const server = open();
  await digestOf({ store: server }, run.runId);
  const commit = fc.integer({ min: 0, max: states.length - 1 });
  await fc.assert(
    fc.asyncProperty(commit, fc.nat(last), async (at, later) => {
      const earlier = begun(states[at] ?? emptyProjection);
      if (earlier === null) throw new Error("the run has not begun");
      const from = earlier.run.seq;
      const to = Math.min(last, from + later);
      const read = await eventsBetween({ store: open() }, earlier, to, last);
      reads.events = 0;
      expect(await eventsBetween({ store: server }, earlier, to, last)).toEqual(read);
      expect(reads.events).toBeLessThan(4_100);
      expect(Object.values(read.events).reduce((sum, each) => sum + each, 0)).toBe(to - from);
      expect(read.gates.length).toBeLessThanOrEqual(200);
      expect(read.gates.length + read.gatesLeftOut).toBe(read.gates.length === 0 ? 0 : read.events["gates-checked"]);
    }),
    { ...cases({ quick: 20, long: 200, soak: 3_000 }), examples: [[0, last]] },
  );
});
