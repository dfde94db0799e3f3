import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { decide } from "../../src/engine/commands/decide.ts";
import { evolve } from "../../src/engine/evolve/evolve.ts";
import { checkSnapshot } from "../../src/journal/check-snapshot.ts";
import { standingAt } from "../../src/journal/past.ts";
import { emptyProjection, type Projection } from "../../src/journal/projection.ts";
import { createJournal } from "../../src/journal/run-journal.ts";
import type { Command } from "../../src/model/command.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Run } from "../../src/model/run.ts";
import { appendFiles } from "../../src/platform/append-file.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { createRunFiles } from "../../src/store/run-files.ts";
import { cases } from "../dose.ts";
import { runId } from "../engine/drive.ts";
import { commandFor, type Intent, intent } from "../engine/random-command.ts";
import { randomTemplate } from "../engine/random-template.ts";
import { makeFolder } from "../store/project.ts";

let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ folder, remove } = makeFolder());
});
afterEach(() => remove());

/** Random runs have few commits. */
const every = 3;

/** Where the runs are; nothing is flushed, for these runs need not outlive the machine. */
function openHistory() {
  const open = (path: string, how: { create: boolean }) => {
    const file = appendFiles.open(path, how);
    return file === null ? null : { ...file, flush() {} };
  };
  const files = createRunFiles(folder);
  return { files, every, check: checkSnapshot, store: createFileStore(folder, { ...appendFiles, open }) };
}

interface Seen {
  readonly events: RunEvent[];
  /** The run right after each event, as it was when that happened. */
  readonly states: Run[];
}

/** Plays a run into its journal and notes what it was after every event. */
async function play(law: Parameters<typeof decide>[0], intents: readonly Intent[]): Promise<Seen> {
  const { store, files } = openHistory();
  const journal = createJournal(store, files, { check: checkSnapshot, shortJournal: 0, milestoneEvery: every });
  const seen: Seen = { events: [], states: [] };
  const tokens: string[] = [];
  let standing: Projection = emptyProjection;
  let minutes = 0;
  const start: Intent = { act: "start", aim: "none", session: "a", pick: 0, held: true, wait: 0 };
  for (const next of [start, ...intents]) {
    minutes += next.wait;
    const at = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
    const command: Command = commandFor({ law, run: standing.run, tokens, last: null }, next);
    const decision = decide(law, standing.run, command, at);
    if (!decision.ok || decision.events.length === 0) continue;
    let { run } = standing;
    for (const event of decision.events) {
      run = evolve(run, event);
      seen.events.push(event);
      seen.states.push(run);
      if (event.type === "visit-entered") tokens.push(event.token);
    }
    standing = await journal.append(runId, standing, decision.events, run);
  }
  return seen;
}

test("the state at every event of a run is what it was at that moment, with and without milestones", async () => {
  let milestones = 0;
  await fc.assert(
    fc.asyncProperty(randomTemplate, fc.array(intent, { minLength: 25, maxLength: 60 }), async (law, intents) => {
      rmSync(join(folder, runId), { recursive: true, force: true });
      const { events, states } = await play(law, intents);
      milestones += openHistory().files.names(runId, "past").length;
      for (const kept of [true, false]) {
        if (!kept) rmSync(join(folder, runId, "past"), { recursive: true, force: true });
        const history = openHistory();
        for (const [index, event] of events.entries()) {
          const found = await standingAt(history, runId, event.seq);
          expect(found?.event).toEqual(event);
          expect(found?.standing.run).toEqual(states[index]);
        }
        expect(await standingAt(history, runId, events.length + 1)).toBeNull();
      }
    }),
    cases({ quick: 8, long: 100, soak: 1_000 }),
  );
  expect(milestones).toBeGreaterThan(0);
});
