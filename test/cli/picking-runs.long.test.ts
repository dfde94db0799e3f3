import { expect, it } from "vitest";
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
