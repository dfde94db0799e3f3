import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { addWorkflow, type Json, serveHere } from "./serve.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, context: compact, instructions: Build it }
`;

/** A project that brings a link along, from one of our folders to one of the user's. */
function withLink(from: string) {
  const project = createProject();
  project.write(".holdfast/config.yaml", "patience_seconds: 3\n");
  project.write("theirs/config.json", "theirs");
  symlinkSync("../theirs", join(project.root, ".holdfast", from));
  return {
    project,
    untouched: () => [
      readdirSync(join(project.root, "theirs")),
      readFileSync(join(project.root, "theirs/config.json"), "utf8"),
    ],
  };
}

test("a call that is cancelled before it begins changes nothing", async () => {
  const project = createProject();
  addWorkflow(project, "work", steps);
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "work" });
  const line = (message: Json) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const params = { name: "workflow_advance", arguments: { output: "planned" } };
  server.write(
    line({ id: "x", method: "tools/call", params }) +
      line({ method: "notifications/cancelled", params: { requestId: "x" } }),
  );
  expect((await server.ok("workflow_status")).step).toBe("plan");
  // The compaction that comes before the next step is still to be asked for.
  expect((await server.ok("workflow_advance", { output: "planned" })).contextAction).toBe("/compact");
});

test("a workflow's resource is read under the address that it is listed with", async () => {
  const project = createProject();
  addWorkflow(project, "größer als", steps);
  const server = await serveHere(project);
  const { result: list } = await server.request("resources/list");
  const found = list.resources.find(({ name }: Json) => name === "größer als");
  const { result } = await server.request("resources/read", { uri: found.uri });
  expect(result.contents[0].text).toContain("größer als");
});

test.each(["cache", "sessions"])(
  "nothing is read or written behind a linked %s, neither by a call nor by a hook",
  async (from) => {
    const { project, untouched } = withLink(from);
    const server = await serveHere(project);
    await server.request("tools/call", { name: "hook", arguments: { event: "SessionStart", session_id: "s" } });
    expect(await server.no("workflow_list")).toMatchObject({ code: "state-broken" });
    expect(untouched()).toEqual([["config.json"], "theirs"]);
  },
);
