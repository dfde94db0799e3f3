import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, giveSecret, serveHere } from "./serve.ts";

const workflow = `
variables: { ticket: HF-7 }
required_reading: ["@docs/rope.md"]
key_reminders: [Never cut the rope]
steps:
  - { id: a, type: action, instructions: Do A }
  - { id: b, type: action, context: clear, instructions: Do B, gate: [{ exists: docs/rope.md }] }
  - { id: c, type: action, instructions: Do C }
`;

function prepare(): Project {
  const project = createProject();
  addWorkflow(project, "knot", workflow);
  project.write("docs/rope.md", "About rope\n");
  return project;
}

test("a visit that came with a context action ends only after its instructions were handed out", async () => {
  const project = prepare();
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "knot" });
  const action = await server.ok("workflow_advance", { output: "done" });
  expect(action).toMatchObject({ contextAction: "/clear", token: "b#1" });
  const refusal = {
    code: "instructions-not-taken",
    message: 'you have not been given the current instructions of b#1 yet, so "b" cannot be finished',
    next: "call workflow_status for the instructions, follow them, then call workflow_advance",
  };
  expect(await server.no("workflow_advance", { output: "done" })).toEqual(refusal);
  expect(await server.no("workflow_advance", { output: "done", token: action.token })).toEqual(refusal);
  await project.holdfast(["status"]);
  expect(await server.no("workflow_advance", { output: "done" })).toEqual(refusal);
  expect(await server.ok("workflow_status")).toMatchObject({
    instructions: expect.stringContaining("Do B"),
    rules: expect.stringMatching(/^Before this visit may end: docs\/rope\.md exists\.\n/),
  });
  expect(await server.ok("workflow_advance", { output: "done" })).toMatchObject({ step: "c" });
});

test("on the command line it is the same, in the words of the command line; a failure needs no instructions", async () => {
  const { json } = prepare();
  await json(["start", "knot"]);
  expect((await json(["advance"])).value).toMatchObject({ contextAction: "/clear" });
  expect((await json(["advance"])).value.error).toMatchObject({
    code: "instructions-not-taken",
    next: "get them with `holdfast next`, follow them, then advance; `holdfast fail` is possible at any time",
  });
  await json(["status"]);
  expect((await json(["advance"])).value.error).toMatchObject({ code: "instructions-not-taken" });
  expect((await json(["fail", "--reason", "no rope"])).value).toMatchObject({ status: "waiting" });
});

test("a visit whose workflow a person has changed ends only after its new instructions were handed out", async () => {
  const project = prepare();
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "knot" });
  await server.ok("workflow_advance");
  await server.ok("workflow_status");
  addWorkflow(project, "knot", workflow.replace("Do B", "Do B with care"));
  await project.holdfast(["adopt"]);
  expect((await project.holdfast(["status"])).stdout).not.toContain("/clear");
  expect(await server.no("workflow_advance", { output: "done" })).toMatchObject({ code: "instructions-not-taken" });
  const told = await server.ok("workflow_status");
  expect(told).toMatchObject({ token: "b#1", instructions: expect.stringContaining("Do B with care") });
  expect(told).not.toHaveProperty("note");
  expect(await server.ok("workflow_advance", { output: "done" })).toMatchObject({ step: "c" });
});

test("who moves a run is heard: the agent gets their reason with the step, also after a loss of context", async () => {
  const project = prepare();
  const server = await serveHere(project);
  const { runId } = await server.ok("workflow_start", { workflow: "knot" });
  await project.holdfast(["goto", "c", "--reason", "B is done by hand", ...giveSecret(project)]);
  const { instructions } = await server.ok("workflow_status");
  expect(instructions).toContain("Do C\n\nA person moved the run to this step and said:\n> B is done by hand\n\n");
  const { result } = await server.request("resources/read", { uri: `holdfast://runs/${runId}/handoff` });
  expect(result.contents[0].text).toContain('said by the person who moved the run to this step: "B is done by hand"');
});

test("a client without hooks gets all of it with one call, in a conversation that never saw the run", async () => {
  const project = prepare();
  const first = await serveHere(project);
  const { runId } = await first.ok("workflow_start", { workflow: "knot", summary: "A bowline" });
  await first.ok("workflow_advance", { output: "measured it" });
  await first.close();
  const second = await serveHere(project);
  const reply = await second.ok("workflow_status");
  const text = JSON.stringify(reply);
  for (const fact of ["b#1", "Do B", "Never cut the rope", "@docs/rope.md", "HF-7", "1 a  measured it", runId]) {
    expect(text).toContain(fact);
  }
  const { rules, recap, ...rest } = await second.ok("workflow_status");
  expect(rules).toContain("Never cut the rope");
  expect(recap).toContain("DONE, not to be redone");
  expect(rest.instructions).toContain("call workflow_advance");
});
