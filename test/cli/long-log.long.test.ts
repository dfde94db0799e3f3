import { expect, it } from "vitest";
import { createProject } from "./program.ts";

it("a long journal is printed with little memory", async () => {
  const project = createProject();
  project.write(
    ".holdfast/workflows/own.yaml",
    "name: own\ndescription: Long outputs\nsteps:\n  - { id: polish, type: ralph, n: 200, instructions: Polish }\n",
  );
  await project.json(["start", "own"]);
  const output = "A line of a long output, which nobody wants to see twice.\n".repeat(16_000);
  project.write("long.txt", output);
  for (let count = 0; count < 50; count++)
    expect((await project.json(["advance", "--output-file", "long.txt"])).code).toBe(0);
  expect(project.journal().length).toBeGreaterThan(40_000_000);
  const { code, stdout, stderr } = await project.bundled(["log"], { env: { NODE_OPTIONS: "--max-old-space-size=40" } });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/visit-ended/g)).toHaveLength(50);
  expect(stdout.length).toBeLessThan(100_000);
});
