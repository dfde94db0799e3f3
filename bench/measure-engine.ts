// How fast the engine and the store are, as ratios measured side by side in one run. Started by run.ts.
import { measureAdvance } from "./advance.ts";
import { measureCold } from "./cold.ts";
import { measureDecide } from "./decide.ts";
import { longRun } from "./long-run.ts";
import { makeProject } from "./project.ts";
import { report } from "./report.ts";

const [, , program = ""] = process.argv;
const sizes = [10, 1_000, 10_000, 100_000];
const { folder, remove } = await makeProject(sizes.map(longRun));
try {
  const advances = await measureAdvance(folder, sizes);
  process.exitCode = report([measureDecide(), ...advances, ...measureCold(folder, program)]) ? 0 : 1;
} finally {
  remove();
}
