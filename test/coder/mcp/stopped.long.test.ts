import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram } from "../../../scripts/bundle-cli.ts";
import { ended } from "../../cli/program.ts";
import { makeFolder } from "../../store/project.ts";
import { type CodedProject, createCoded } from "../coded.ts";

const place = makeFolder();
const program = join(place.folder, "stdio-server.mjs");
beforeAll(() => bundleProgram(program, "test/coder/mcp/workers/stdio-server.ts"));
afterAll(() => place.remove());

const workflow = "name: story\ndescription: A step\nsteps: [{ id: A, type: action, instructions: Do it }]\n";
const done = { calls: [{ name: "done", input: { output: "The end" } }] };

describe("Ctrl-C", () => {
  const begin = ({ begin, agent, settings }: CodedProject) => {
    const child = begin(["run", "story", "Greet", "--agent", agent, "--yes"], { env: settings });
    child.stdin.end();
    return child;
  };

  test("in a call ends the server and the run, and the model is told that the call was interrupted", async () => {
    const mark = join(place.folder, "called");
    const project = await createCoded({
      workflow,
      settings: `  mcp: ${JSON.stringify({ kit: { command: process.execPath, args: [program] } })}\n`,
      answer: (_request, index) => [{ calls: [{ name: "kit_hang", input: { mark } }] }][index] ?? done,
    });
    const child = begin(project);
    await appears(mark);
    child.kill("SIGINT");
    expect(await ended(child)).toMatchObject({ code: 130, stderr: expect.stringContaining("--resume") });
    expect(() => process.kill(Number(readFileSync(mark, "utf8")), 0)).toThrow();
    expect(await project.resume()).toMatchObject({ code: 0 });
    const results = project.model.requests[1]?.messages.flatMap((message) => message.results);
    expect(results).toMatchObject([{ text: expect.stringContaining("the call was interrupted"), isError: true }]);
  });

  test("while a server starts is no fault of that server", async () => {
    const mark = join(place.folder, "started");
    const silent = `require("fs").writeFileSync(${JSON.stringify(mark)}, ""); setInterval(() => {}, 1000)`;
    const project = await createCoded({
      workflow,
      settings: `  mcp: ${JSON.stringify({ kit: { command: process.execPath, args: ["-e", silent] } })}\n`,
      answer: () => done,
    });
    const child = begin(project);
    await appears(mark);
    child.kill("SIGINT");
    expect(await ended(child)).toMatchObject({ code: 130, stderr: "", stdout: expect.stringContaining("stopped") });
  });
});

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await pause(10);
}
