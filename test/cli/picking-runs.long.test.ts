import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveHere } from "../mcp/serve.ts";
import { createProject, twoSteps } from "./program.ts";
import { openTerminal } from "./terminal.ts";
import { twoRuns } from "./two-runs.ts";

const [down, enter, esc] = ["\u001b[B", "\r", "\u001b"];

it("a person at a terminal picks one of several runs from a list", async () => {
  const { project } = await twoRuns();
  const [, lower] = (await project.json(["status"])).value.error.message.match(/: (\S+), (\S+)$/).slice(1);
  const terminal = openTerminal(project, ["pause"], { columns: 120, env: { NO_COLOR: "1" } });
  expect(await terminal.until(/two-steps-\d/)).toContain("Which run?");
  terminal.type(`${down}${enter}`);
  const { code, text } = await terminal.ended();
  expect([code, text]).toEqual([0, expect.stringContaining(`${lower}  paused  step 1/2 plan\n`)]);
  const paused = (await project.json(["runs"])).value.runs.filter(
    ({ status }: { status: string }) => status === "paused",
  );
  expect(paused).toMatchObject([{ runId: lower }]);
});

it("whoever leaves the list is refused, and so are agents and programs without being asked", async () => {
  const { project } = await twoRuns();
  const terminal = openTerminal(project, ["pause"], { env: { NO_COLOR: "1" } });
  await terminal.until(/two-steps-\d/);
  terminal.type(esc);
  expect(await terminal.ended()).toMatchObject({ code: 1, text: expect.stringContaining("several runs are live") });
  for (const [words, env] of [
    [["pause"], { CLAUDECODE: "1" }],
    [["pause", "--json"], {}],
  ] as const) {
    const { code, text } = await openTerminal(project, words, { env }).ended();
    expect([code, text]).toEqual([1, expect.stringContaining("run-ambiguous")]);
    expect(text).not.toContain("Which run?");
  }
  expect(JSON.stringify((await project.json(["runs"])).value)).not.toContain("paused");
});

it("whoever has picked a run that cannot be shown is told so, and not asked again", async () => {
  const { project } = await twoRuns();
  for (const { runId } of (await project.json(["runs"])).value.runs) {
    const folder = project.runFolder(runId);
    for (const name of readdirSync(folder).filter((each) => each.startsWith("template"))) rmSync(join(folder, name));
  }
  const terminal = openTerminal(project, ["status"], { columns: 120, env: { NO_COLOR: "1" } });
  await terminal.until(/two-steps-\d/);
  terminal.type(enter);
  const { code, text } = await terminal.ended();
  expect([code, text]).toEqual([3, expect.stringContaining("the run's template is missing")]);
  expect(text.match(/◆/g)).toHaveLength(1);
});

it("of very many live runs, a refusal, an agent's list and a person's list show the newest and how to see the rest", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  for (let n = 0; n < 52; n++) await project.holdfast(["start", "two-steps", "--new"]);
  const { runs } = (await project.json(["runs"])).value;
  expect(runs).toHaveLength(52);
  const newest: string[] = runs.map(({ runId }: { readonly runId: string }) => runId);
  const five = newest.slice(0, 5);
  expect((await project.json(["status"])).value.error).toEqual({
    code: "run-ambiguous",
    message: `several runs are live: ${five.join(", ")}, and 47 more`,
    next: "name one with --run <id>; `holdfast runs` lists them",
  });
  const { stderr } = await project.holdfast(["status"]);
  expect(stderr).toBe(
    `refused: several runs are live (run-ambiguous)\n  Runs   ${[...five, "and 47 more"].join("\n         ")}\n` +
      "  Next   say which one with --run <id>; `holdfast runs` lists them\n",
  );

  const server = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
  expect(await server.no("workflow_status")).toMatchObject({
    message: `several runs are live: ${five.join(", ")}, and 47 more`,
    next: "send run_id; workflow_list lists the live ones",
  });
  const listed = await server.ok("workflow_list");
  expect(listed.runs.map(({ runId }: { readonly runId: string }) => runId)).toEqual(newest.slice(0, 20));
  expect(listed.moreRuns).toBe(32);
  expect((await project.json(["list"])).value.moreRuns).toBeUndefined();

  const few = (await project.holdfast(["runs"])).stdout;
  expect(newest.filter((runId) => few.includes(runId))).toEqual(newest.slice(0, 50));
  expect(few).toContain("2 older runs not shown; see them with: holdfast runs --all\n");
  const all = (await project.holdfast(["runs", "--all"])).stdout;
  expect(newest.filter((runId) => all.includes(runId))).toEqual(newest);
  expect(all).not.toContain("not shown");
});
