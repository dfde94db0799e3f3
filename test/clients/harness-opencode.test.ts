import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle-cli.ts";
import { createProject } from "../cli/program.ts";
import { startChatModel } from "./chat-model.ts";
import { chatText, chatToolNames, chatToolResults, lastChatText } from "./chat-request.ts";
import { isOpencodeCompaction, openOpencode } from "./opencode.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-echo-"));
const server = join(folder, "echo-server.mjs");

beforeAll(() => bundleProgram(server, "test/clients/fixtures/echo-server.ts"));
afterAll(() => rm(folder, { recursive: true, force: true }));

it("opencode offers the tools of a server, executes the call of the script and hands its result to the next request", async () => {
  const project = createProject();
  const command = [process.execPath, server];
  project.write("opencode.json", JSON.stringify({ mcp: { echo: { type: "local", command } } }));
  const model = await startChatModel((request) => {
    const results = chatToolResults(request);
    if (results.length > 0) return { text: `It said: ${results.join()}` };
    return { calls: [{ name: "echo_repeat", input: { text: "kelp" } }] };
  });
  const session = await openOpencode({ project, model });
  expect(await session.prompt("Say kelp")).toBe("It said: heard kelp");
  await session.close();
  const asked = model.requests.filter(({ tools }) => tools.length > 0);
  expect(asked.map(chatToolResults)).toEqual([[], ["heard kelp"]]);
  expect(asked.map(chatToolNames)[0]).toEqual(expect.arrayContaining(["echo_repeat", "echo_count", "bash"]));
});

it("opencode compacts a live session between prompts, and by itself when the context is full", async () => {
  const model = await startChatModel((request) => {
    if (isOpencodeCompaction(request)) return { text: "The holdfast is red." };
    return lastChatText(request) === "Fill it" ? { text: "It is full.", inputTokens: 99_000 } : { text: "Noted." };
  });
  const session = await openOpencode({ project: createProject(), model });
  await session.prompt("The anchor is blue");
  await session.compact();
  for (const text of ["And now?", "Fill it", "And then?"]) await session.prompt(text);
  await session.close();
  expect(model.requests.filter(isOpencodeCompaction)).toHaveLength(2);
  const last = model.requests.map(chatText).at(-1);
  expect(last).toContain("The holdfast is red.");
  expect(last).not.toContain("It is full.");
});

it("opencode goes on with a session after its process was killed", async () => {
  const model = await startChatModel(() => ({ text: "Noted." }));
  const project = createProject();
  const first = await openOpencode({ project, model });
  await first.prompt("The anchor is blue");
  await first.kill();
  const second = await openOpencode({ project, model, resumes: { session: first.id } });
  await second.prompt("And now?");
  await second.close();
  expect(model.requests.map(chatText).at(-1)).toContain("The anchor is blue");
});
