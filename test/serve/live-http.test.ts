import { once } from "node:events";
import { utimesSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { expect, it, onTestFinished } from "vitest";
import { createToken, revokeToken } from "../../src/app/access/token-files.ts";
import { findUser } from "../../src/project/find-user.ts";
import { secured } from "../../src/serve/http/headers.ts";
import { createLive } from "../../src/serve/live/live.ts";
import { makeWorld } from "../app/world.ts";
import { type ServedProject, serveProject } from "./serving.ts";

async function serve() {
  const served = await serveProject();
  onTestFinished(() => served.close());
  const user = findUser(served.project.env);
  const token = createToken(user, { name: "reader", level: "read", createdAt: new Date().toISOString() });
  return { served, user, headers: { authorization: `Bearer ${token}` } };
}

/** A stream over a socket of its own. */
async function listen({ server }: ServedProject, path: string, headers: Readonly<Record<string, string>>) {
  const sent = request({ host: "127.0.0.1", port: server.port, path, headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  onTestFinished(() => void answer.destroy());
  let text = "";
  let wake = () => {};
  const end = new Promise<void>((resolve) => answer.once("close", resolve));
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    wake();
  });
  return {
    answer,
    end,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "",
    /** Waits until the stream has told this. */
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(text)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

it("the stream tells what moves, for a project or a run, and goes on where a reader was", async () => {
  const { served, headers } = await serve();
  const { id, project } = served;
  const run = project.runFolder().split("/").at(-1) ?? "";
  const [all, own, other] = await Promise.all(
    ["", `?project=${id}&run=${run}`, "?project=elsewhere-1234"].map((query) =>
      listen(served, `/api/live${query}`, headers),
    ),
  );
  if (all === undefined || own === undefined || other === undefined) throw new Error("no stream");
  expect(all.answer.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  await Promise.all([all, own, other].map((each) => each.until(/^id: /m)));
  const lastId = all.lastId();
  await project.holdfast(["advance", "--output", "planned"]);
  await Promise.all([all, own].map((each) => each.until(/"type":"run"/)));
  expect(other.text()).not.toContain("data:");
  const again = await listen(served, "/api/live", { ...headers, "last-event-id": lastId });
  await again.until(/"type":"run"/);
  expect(again.text()).toContain(`"runId":"${run}"`);
  expect(again.text()).not.toContain("reset");
});

it.each(["garbage", "0-0", `${"9".repeat(400)}-1`, "../../etc/passwd", "%00"])(
  "an id that is not of this server is answered with a reset: %s",
  async (lastId) => {
    const { served, headers } = await serve();
    const stream = await listen(served, "/api/live", { ...headers, "last-event-id": lastId });
    await stream.until(/^data: {"type":"reset"}$/m);
  },
);

it("a stream ends when its token is revoked, before it tells anything more", async () => {
  const { served, user, headers } = await serve();
  const stream = await listen(served, "/api/live", headers);
  await stream.until(/^id: /m);
  expect(revokeToken(user, "reader")).toBe(true);
  await served.project.holdfast(["advance", "--output", "planned"]);
  await stream.end;
  expect(stream.text()).not.toContain("data:");
  expect((await served.ask("/api/live", { headers })).status).toBe(401);
});

it("at most 200 streams are open at once", async () => {
  const { served, headers } = await serve();
  const streams = await Promise.all(Array.from({ length: 200 }, () => listen(served, "/api/live", headers)));
  const { status, json } = await served.ask("/api/live", { headers });
  expect([status, json.error.code]).toEqual([503, "streams-full"]);
  expect((await served.ask("/api/me", { headers })).status).toBe(200);
  streams[0]?.answer.destroy();
  await expect.poll(async () => (await listen(served, "/api/live", headers)).answer.statusCode).toBe(200);
});

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
  onTestFinished(() => {
    live.close();
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
