import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { createToken, revokeToken } from "../../src/app/access/token-files.ts";
import { findUser } from "../../src/project/find-user.ts";
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
