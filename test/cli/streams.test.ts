import { expect, it } from "vitest";
import { followLog, projectWithFlow } from "./streams-project.ts";

it("log --follow --json prints one event a line as they come, and ends with the run", async () => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  const { lines, end, atLeast } = followLog(project, ["--json"]);
  await atLeast(2);
  await project.holdfast(["advance", "--output", "planned"]);
  await atLeast(5);
  await project.holdfast(["advance", "--output", "shipped\nand done"]);
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const events = lines.map((line) => JSON.parse(line));
  expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
    "1 run-started",
    "2 visit-entered",
    "3 visit-ended",
    "4 step-ended",
    "5 visit-entered",
    "6 visit-ended",
    "7 step-ended",
    "8 run-completed",
  ]);
  const last = (await project.json(["runs"])).value.runs[0].runId;
  const again = await project.holdfast(["log", "--follow", "--after", "7", "--json", "--run", last]);
  expect(again.stdout).toBe(`${lines[7]}\n`);
});

it("log --follow of no run is refused at once", async () => {
  const project = projectWithFlow();
  expect((await project.json(["log", "--follow"])).value.error.code).toBe("run-unknown");
});
