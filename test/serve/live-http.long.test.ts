import { once } from "node:events";
import { utimesSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { expect, it, onTestFinished } from "vitest";
import { secured } from "../../src/serve/http/headers.ts";
import { createLive } from "../../src/serve/live/live.ts";
import { makeWorld } from "../app/world.ts";

it("a reader that stops reading costs a small piece of memory, and is told to read anew", async () => {
  const world = makeWorld();
  world.workflow("walk", "steps: [{ id: plan, type: action, instructions: Plan it }]");
  const { runId } = await world.agent("s1").ok("start", { workflow: "walk" });
  // The id of the project is a part of every message: far more is told than the buffers of the system take.
  const id = "p".repeat(100_000);
  const projects = { list: () => [{ id, problem: null }], open: () => world.script().deps };
  const report = (error: unknown) => expect.unreachable(String(error));
  const live = createLive({ projects, report, every: 1, mostMessages: 20 });
  const answers: ServerResponse[] = [];
  const listener = getRequestListener(() => secured(new Response(live.open({}, null))), {
    overrideGlobalObjects: false,
  });
  const server = createServer((asked, answer) => {
    answers.push(answer);
    void listener(asked, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await live.close();
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const sent = request({ host: "127.0.0.1", port, agent: false });
  sent.end();
  const [slow] = (await once(sent, "response")) as [IncomingMessage];
  const own = live.open({}, null).getReader();
  await own.read();
  const journal = join(world.runFolder(runId), "journal.jsonl");
  const told = 400;
  for (let at = 1; at <= told; at += 1) {
    utimesSync(journal, at, at);
    expect((await own.read()).value?.length).toBeGreaterThan(id.length);
  }
  // What waits in the server for the slow reader: one piece, of the 40 MB that were told.
  expect(answers[0]?.writableLength).toBeLessThan(300_000);
  let received = 0;
  let isReset = false;
  slow.setEncoding("utf8");
  for await (const chunk of slow) {
    received += chunk.length;
    isReset ||= chunk.includes('{"type":"reset"}');
    if (isReset) break;
  }
  expect(received).toBeLessThan((told * id.length) / 2);
});
