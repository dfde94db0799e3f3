import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { expectSame, tellFiles, type WithFiles } from "./copied-project.ts";
import { startedProject } from "./run-project.ts";

let origin: Project;
let files: WithFiles;
let server: Server;
let connections = 0;
let listening: number;

beforeAll(async () => {
  origin = await startedProject();
  files = await tellFiles(origin);
  // It accepts, and answers when a person has long given up.
  server = createServer((socket) => {
    connections += 1;
    const timer = setTimeout(() => socket.end(), 5_000);
    socket.on("close", () => clearTimeout(timer)).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  listening = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe.each([
  ["unreachable", () => "192.0.2.1:5432"],
  ["slow", () => `127.0.0.1:${listening}`],
  ["refusing", () => "127.0.0.1:1"],
])("with a database that is %s", (_, server) => {
  it("hooks say the same as with files, write nothing but their queue, and ask nobody", async () => {
    await expectSame(origin, files, `postgres://ann:secret@${server()}/team`);
    expect(connections).toBe(0);
  });
});
