import { expect, it } from "vitest";
import { addWorkflow, serveHere, trustAll } from "../mcp/serve.ts";
import { createProject, type Project } from "./program.ts";

/** A run whose only step has this gate. */
async function gated(command: string): Promise<Project> {
  const project = createProject();
  trustAll(project);
  addWorkflow(
    project,
    "gated",
    `steps: [{ id: build, type: action, instructions: Build, gate: [{ run: '${command}' }] }]`,
  );
  await project.json(["start", "gated"]);
  return project;
}

it("a failed gate shows the paths as they are here; the journal, which travels, has a placeholder", async () => {
  const project = await gated('echo "$PWD/src/a.ts:3 is broken"; exit 1');
  const real = `${project.root}/src/a.ts:3 is broken`;
  expect((await project.holdfast(["advance"])).stderr).toContain(`  | ${real}\n`);
  expect((await project.json(["advance"])).value.error.message).toContain(real);
  expect((await project.holdfast(["next"])).stdout).toContain(`> ${real}\n`);
  const server = await serveHere(project);
  expect((await server.no("workflow_advance")).message).toContain(real);
  expect((await server.ok("workflow_status")).instructions).toContain(`> ${real}\n`);
  expect(project.journal()).toContain("{project_root}/src/a.ts:3 is broken");
  expect(project.journal()).not.toContain(project.root);
});

it("a failed gate that printed nothing says so, with the failure and with the instructions", async () => {
  const project = await gated("exit 3");
  expect((await project.holdfast(["advance"])).stderr).toBe(
    "refused: the gate failed: exit 3 (exit 3) (gate-failed)\n" +
      "  | [it printed nothing]\n" +
      "  Next   fix the failure above, then advance again\n",
  );
  expect((await project.holdfast(["next"])).stdout).toContain("> exit 3\n> [it printed nothing]\n");
});
