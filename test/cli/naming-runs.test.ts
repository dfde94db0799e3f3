import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveHere } from "../mcp/serve.ts";
import { createProject, twoSteps } from "./program.ts";
import { twoRuns } from "./two-runs.ts";

it("a run can be named by its workflow, or by the beginning of its id", async () => {
  const { project, first, second } = await twoRuns();
  for (const name of ["two-steps", "two", first.slice(0, -1), first]) {
    for (const option of ["--run", "--run-id"])
      expect((await project.json(["status", option, name])).value.runId, name).toBe(first);
  }
  expect((await project.json(["sessions", "oth"])).value.runId).toBe(second);
  expect((await project.json(["advance", "--run", "other", "--output", "Planned"])).value).toMatchObject({
    runId: second,
    step: "ship",
  });
  expect((await project.json(["log", "--run", "other"])).value.runId).toBe(second);
  const exported = await project.holdfast(["export", "oth"]);
  expect(JSON.parse(exported.stdout.split("\n")[0] ?? "")).toMatchObject({ runId: second });
});

it("a name that fits several runs is refused with those runs", async () => {
  const { project, first } = await twoRuns();
  const more = (await project.json(["start", "two-steps", "--new"])).value.runId;
  const runs = [first, more].toSorted();
  for (const name of ["two-steps", "tw"]) {
    const { code, value } = await project.json(["status", "--run", name]);
    expect(code).toBe(1);
    expect(value.error).toEqual({
      code: "run-ambiguous",
      message: `several runs match ${name}: ${runs.join(", ")}`,
      next: "name one with --run <id>",
    });
  }
  const { stderr } = await project.holdfast(["pause", "--run", "tw"]);
  expect(stderr).toBe(
    `refused: several runs match tw (run-ambiguous)\n  Runs   ${runs.join("\n         ")}\n  Next   say which one with --run <id>\n`,
  );
  expect(JSON.stringify((await project.json(["runs"])).value)).not.toContain("paused");
});

it("a name means the live run before the ended ones, except to rm", async () => {
  const { project, first } = await twoRuns();
  await project.holdfast(["abort", "--run", first]);
  const live = (await project.json(["start", "two-steps"])).value.runId;
  expect((await project.json(["status", "--run", "two-steps"])).value.runId).toBe(live);
  expect(await project.json(["rm", "two-steps", "--yes"])).toEqual({ code: 0, value: { removed: [first] } });
  expect((await project.json(["rm", "two-steps", "--yes"])).value.error).toMatchObject({ code: "run-live" });
});

it("the name of a workflow means its own runs, though the ids of others begin like it", async () => {
  const { project, first } = await twoRuns();
  project.write(".holdfast/workflows/two-steps-more.yaml", twoSteps.replace("two-steps", "two-steps-more"));
  await project.holdfast(["start", "two-steps-more"]);
  expect((await project.json(["status", "--run", "two-steps"])).value.runId).toBe(first);
});

it("a damaged run is repaired by a short name too, and hides no other", async () => {
  const { project, first, second } = await twoRuns();
  const journal = join(project.runFolder(second), "journal.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace("other", "broken"));
  for (const file of readdirSync(project.runFolder(second)))
    if (file !== "journal.jsonl") writeFileSync(join(project.runFolder(second), file), "");
  expect((await project.json(["status", "--run", "two"])).value.runId).toBe(first);
  expect((await project.json(["repair", "oth"])).value).toMatchObject({ runId: second });
});

it("an agent can name a run the same way", async () => {
  const { project, first, second } = await twoRuns();
  const server = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
  expect(await server.ok("workflow_status", { run_id: "two-steps" })).toMatchObject({ runId: first });
  expect(await server.ok("workflow_advance", { run_id: second.slice(0, 8), output: "Planned" })).toMatchObject({
    runId: second,
    step: "ship",
  });
  await project.holdfast(["start", "other", "--new"]);
  expect(await server.no("workflow_advance", { run_id: "other" })).toMatchObject({
    code: "run-ambiguous",
    message: expect.stringMatching(/^several runs match other: other-\S+, other-\S+$/),
    next: "send run_id",
  });
});

it("status and next name the other live runs", async () => {
  const { project, first, second } = await twoRuns();
  const beginning = first.slice(0, -2);
  for (const command of ["status", "next"]) {
    const { stdout } = await project.holdfast([command, "--run", beginning]);
    expect(stdout).toContain(`Also live: ${second}\n`);
    expect((await project.json([command, "--run", beginning])).value.otherRuns).toEqual([second]);
    expect((await project.json([command, "--run", first])).value.otherRuns).toBeUndefined();
  }
  await project.holdfast(["start", "other", "--new"]);
  await project.holdfast(["start", "other", "--new"]);
  expect((await project.holdfast(["status", "--run", beginning])).stdout).toMatch(
    /Also live: other-\S+, other-\S+ and 1 more; see holdfast runs\n/,
  );
  const alone = createProject();
  alone.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  await alone.holdfast(["start", "two-steps"]);
  expect((await alone.holdfast(["status"])).stdout).not.toContain("Also live");
  expect((await alone.json(["next"])).value.otherRuns).toBeUndefined();
});
