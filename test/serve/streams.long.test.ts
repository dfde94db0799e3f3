import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type Browser, type ServedProject, serveProject } from "./serving.ts";

/** More than may be open at once. */
const many = 300;

async function serve(): Promise<{ readonly served: ServedProject; readonly browser: Browser }> {
  const served = await serveProject();
  onTestFinished(() => served.close());
  return { served, browser: await served.enter() };
}

/** How a new reader is answered. */
async function listen({ server }: ServedProject, browser: Browser): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/live`, { headers: browser });
  await answer.body?.cancel();
  return `${answer.status} ${answer.headers.get("content-type")}`;
}

const opened = "200 text/event-stream; charset=utf-8";

it("readers who leave before the first byte leave no stream open", async () => {
  const { served, browser } = await serve();
  const { port } = served.server;
  for (let left = 0; left < many; left += 50) {
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(port, "127.0.0.1").on("error", () => {});
        await once(socket, "connect");
        const headers = Object.entries({ host: `127.0.0.1:${port}`, ...browser });
        socket.write(
          `GET /api/live HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
        );
        return socket;
      }),
    );
    for (const socket of sockets) socket.destroy();
    // The server has taken in the requests before this one.
    await served.ask("/api/me", { headers: browser });
  }
  await expect.poll(() => listen(served, browser)).toBe(opened);
});

it("a HEAD of the live stream opens none", async () => {
  const { served, browser } = await serve();
  for (let asked = 0; asked < many; asked += 1) {
    const { status } = await served.ask("/api/live", { method: "HEAD", headers: browser });
    expect(status).toBe(200);
  }
  expect(await listen(served, browser)).toBe(opened);
});
