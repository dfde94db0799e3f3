import { expect, it } from "vitest";
import { cleared, expectFound, flow, hasScript, isLinux } from "./agents-above.ts";
import { createProject } from "./program.ts";

it.runIf(isLinux && hasScript).each([["a cleared environment and a terminal of its own", `${cleared}; exit $?`]])(
  "whatever an agent does with %s, its name above is found",
  (_, line) => expectFound(line),
);

it.runIf(isLinux && hasScript)("what a workflow runs cannot act as a person", async () => {
  const project = createProject();
  const line = `${cleared} > said.txt; true`;
  project.write(".holdfast/workflows/flow.yaml", flow.replace("gate: [", `gate: [{ run: ${JSON.stringify(line)} }, `));
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  await project.holdfast(["start", "flow"]);
  const refused = await project.holdfast(["advance"]);
  expect(refused.stderr).toContain("(approval-needed)");
  expect(project.read("said.txt").replace(/\s+/g, " ")).toMatch(/with HOLDFAST_AGENT set\) is above it/);
});
