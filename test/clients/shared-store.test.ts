import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../../scripts/postgres-server.ts";
import { migratePostgres } from "../../src/store/postgres/postgres-store.ts";
import type { Project } from "../cli/program.ts";
import { claudeToolResults } from "./claude-request.ts";
import { call, expectRestored, handoffsIn, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";

const workflow = `
name: knot
description: Tie a knot
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie the bowline }
  - { id: check, type: action, instructions: Check the knot twice }
`;

/** The project keeps its runs in the database, which its user has named and confirmed. */
async function share(project: Project, url: string): Promise<void> {
  project.write(".holdfast/config.yaml", "store: postgres\nproject: ropes\n");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("../home/.config/holdfast/config.yaml", `database: "${url}"\n`);
  const secret = project.write("../home/.config/holdfast/secret", "0123456789abcdef0123456789abcdef\n");
  const confirmed = await project.holdfast(["store", "confirm", "--yes", "--as", "ada", "--secret-file", secret]);
  if (confirmed.code !== 0) throw new Error(confirmed.stderr);
}

test("Claude Code keeps its place while the database is away, and goes on when it is back", async () => {
  const database = await startPostgres({ durable: false });
  onTestFinished(() => database.stop());
  await migratePostgres({ url: database.url });
  const project = await installedProject("claude");
  await share(project, database.url);
  const model = await startPlannedModel();
  const session = await openInstalled(project, model);
  model.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  model.plan(call("workflow_advance", { output: "twelve metres", token: "measure#1" }), { text: "Measured." });
  await session.prompt("Go on");
  const { runId } = (await project.json(["status"])).value;

  await database.halt();
  const tie = call("workflow_advance", { output: "tied", token: "tie#1" });
  model.plan(tie, { text: "It is refused." });
  model.asked();
  await session.prompt("Tie it");
  const refused = claudeToolResults(model.asked().at(-1) as never).at(-1);
  expect(refused).toContain("store-unreachable");
  expect(refused).toContain("then try again");
  await session.prompt("/compact");
  await session.prompt("Where are we?");
  const restored = model.asked().at(-1);
  expectRestored(restored, [runId, "1 measure  twelve metres", "Tie the bowline"]);
  expect(handoffsIn(restored)[0]).toMatch(/This is as of 20\S+ \S+ UTC: the shared store could not be reached/);

  await database.start();
  model.plan(tie, { text: "Tied." });
  await session.prompt("Tie it again");
  expect(claudeToolResults(model.asked().at(-1) as never).at(-1)).toContain("Check the knot twice");
  await session.close();
  // For a moment after a failure a server does not ask again, so the next command may be the one that records the notice.
  await project.json(["next"]);
  const journal = readFileSync(join(project.root, ".holdfast/runs", runId, "journal.jsonl"), "utf8");
  expect(journal.split('"type":"visit-ended"')).toHaveLength(3);
  expect(journal.split('"type":"compaction-began"')).toHaveLength(2);
});
