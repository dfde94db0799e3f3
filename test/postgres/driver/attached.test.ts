import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCheckedJournal } from "../../../src/journal/checked-journal.ts";
import { projectionOf } from "../../../src/journal/listed-run.ts";
import { emptyProjection } from "../../../src/journal/projection.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { createRunFiles } from "../../../src/store/run-files.ts";

import { makeDatabase } from "../database.ts";
import { startEvent } from "../events.ts";

test("the journal stores the row of a run with each of its commits", async () => {
  const database = await makeDatabase();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-attached-"));
  const store = createPostgresStore({ url: database.url, project: "one" });
  const journal = createCheckedJournal(store, createRunFiles(folder), () => ({
    store,
    attach: (run) => ({ projection: projectionOf(run, "Ada") }),
  }));
  const { runId, at } = startEvent;
  const started = await journal.append(runId, emptyProjection, [startEvent]);
  const row = async () => (await store.listRuns({ limit: 2 }))[0];
  expect(await row()).toMatchObject({
    run: runId,
    projected: 1,
    projection: { status: "running", who: "Ada", at, data: { runId, workflow: startEvent.workflow } },
  });
  const later = "2026-01-02T00:00:00.000Z";
  await journal.append(runId, started, [{ seq: 2, at: later, type: "run-aborted", reason: "enough", by: "Ada" }]);
  expect(await row()).toMatchObject({ projected: 2, projection: { status: "aborted", at: later } });
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});
