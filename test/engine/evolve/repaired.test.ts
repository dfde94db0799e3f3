import { expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { evolve, replay } from "../../../src/engine/evolve/evolve.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import { hash, runId, template } from "../drive.ts";

const at = "2026-01-01T00:00:00.000Z";

test("a run that ended, was repaired and is reopened numbers its events without a gap", () => {
  const law = template("steps: [{ id: plan, type: action, instructions: Plan }]");
  const started = decide(law, { status: "absent" }, { type: "start", runId, templateHash: hash }, at);
  if (!started.ok) throw new Error("a run that is absent can start");
  const aborted = decide(law, started.run, { type: "abort", reason: "enough", by: "ada" }, at);
  if (!aborted.ok) throw new Error("a live run can be aborted");
  const events = [...started.events, ...aborted.events];
  const repair = { type: "journal-repaired", at, by: "ada", kept: 2, lost: 1, original: "x" };
  const repaired = evolve(replay(events), RunEvent.parse({ seq: events.length + 1, ...repair }));
  const reopened = decide(law, repaired, { type: "reopen", by: "ada" }, at);
  expect(reopened.ok && reopened.events[0]).toMatchObject({ type: "run-reopened", seq: events.length + 2 });
});
