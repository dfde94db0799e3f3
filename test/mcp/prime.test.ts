import { expect, test } from "vitest";
import { faberProject, statuses } from "../cli/faber.ts";
import { serveHere } from "./serve.ts";

test("prime_context loads what is new, says what is not, and records it", async () => {
  const project = faberProject();
  const server = await serveHere(project);
  const started = await server.ok("workflow_start", { workflow: "faber" });
  expect(started.artifacts).toContain("One step at a time.");
  expect(statuses(await server.ok("prime_context"))).toMatchObject({ protocol: "skipped", "workflow-plan": "skipped" });
  project.write("docs/protocol.md", "Two steps at a time.\n");
  const primed = await server.ok("prime_context", { artifacts: ["protocol"] });
  expect(primed).toMatchObject({
    runId: started.runId,
    artifacts: [{ id: "protocol", status: "loaded", path: "docs/protocol.md", bytes: 21 }],
  });
  expect(primed.text).toContain("Two steps at a time.");
  const forced = await server.ok("prime_context", { artifacts: [], force: true });
  expect(statuses(forced)).toMatchObject({ protocol: "loaded", "workflow-plan": "loaded", "workflow-state": "loaded" });
});

test("what an advance loads comes with its answer, and a look does not bring it again", async () => {
  const project = faberProject();
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "faber" });
  await server.ok("workflow_advance", { output: "framed" });
  const { step, artifacts } = await server.ok("workflow_advance", {
    output: "designed",
    artifacts: { spec_path: "specs/258.md" },
  });
  expect(step).toBe("build");
  expect(artifacts).toContain("The button is blue.");
  expect((await server.ok("workflow_status")).artifacts).toBeUndefined();
});

test("an unknown artifact and a missing one are refused with what to do", async () => {
  const project = faberProject();
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "faber", variables: { plan_id: "8" } });
  expect(await server.no("prime_context", { artifacts: ["nope"] })).toMatchObject({
    code: "artifact-unknown",
    next: 'use "workflow-state", "workflow-plan", "protocol", "specification"',
  });
  expect(await server.no("prime_context")).toMatchObject({
    code: "artifact-missing",
    message: 'the required artifact "workflow-plan" cannot be loaded from plans/8.json: there is no plans/8.json',
  });
});
