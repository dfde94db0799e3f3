import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../../cli/program.ts";
import { giveSecret } from "../../mcp/serve.ts";
import { askServer, enterWith } from "../serving.ts";
import { connectTo, type ServedMcp, serveMcp } from "./http-client.ts";

const walk = `name: walk
description: Three steps
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it }
  - { id: ship, type: action, instructions: Ship it }
`;

const gated = `name: gated
description: A gate that takes its time
steps:
  - { id: work, type: action, instructions: Work, gate: [{ run: "touch begun; sleep 60; touch ended" }] }
`;

let project: Project;
let served: ServedMcp;

beforeEach(async () => {
  project = createProject();
  project.write(".holdfast/workflows/walk.yaml", walk);
  project.write(".holdfast/workflows/gated.yaml", gated);
  served = await serveMcp(project);
});

describe("the SDK's own client", () => {
  it("does a whole workflow, with a session that the start returns", async () => {
    const { call, client } = await connectTo(served);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("hook");
    const started = await call("workflow_start", { workflow: "walk", request: "Walk" });
    expect(started).toMatchObject({ step: "plan", session: expect.stringMatching(/^http-/) });
    const { session, runId } = started;
    expect(await call("workflow_advance", { output: "planned", session })).toMatchObject({ step: "build" });
    expect(await call("workflow_status", { session })).toMatchObject({ step: "build", runId });
    expect(await call("workflow_advance", { output: "built", session })).toMatchObject({ step: "ship" });
    expect(await call("workflow_advance", { output: "shipped", session })).toMatchObject({ status: "complete" });
    const { value } = await project.json(["log", "--run", runId]);
    const entered = (value as { events: { type: string; session?: string }[] }).events;
    expect(entered.filter(({ type }) => type === "visit-ended").map((event) => event.session)).toEqual(
      Array(3).fill(session),
    );
  });

  it("does it by naming run and token alone, and wrong input is told in the tool's words", async () => {
    const { call } = await connectTo(served);
    const { runId: run_id, token } = await call("workflow_start", { workflow: "walk" });
    expect(await call("workflow_advance", { run_id, token, output: "planned" })).toMatchObject({ step: "build" });
    expect(await call("workflow_advance", { run_id, token, output: "planned" })).toMatchObject({ replayed: true });
    expect(await call("workflow_advance", { run_id, session: 7 })).toMatchObject({ error: { code: "usage" } });
  });

  it("goes on after the server was killed and started again", async () => {
    const { call } = await connectTo(served);
    const { session, token } = await call("workflow_start", { workflow: "walk" });
    await served.restart();
    // The first request may meet the end of its old connection; with the token it is safe to send it again.
    const advance = () => call("workflow_advance", { output: "planned", session, token });
    expect(await advance().catch(advance)).toMatchObject({ step: "build" });
    expect(await call("workflow_status", {})).toMatchObject({ step: "build" });
  });

  it("may be two at once: each has its own run", async () => {
    const [one, two] = [await connectTo(served), await connectTo(served)];
    const [first, second] = await Promise.all([
      one.call("workflow_start", { workflow: "walk", request: "One" }),
      two.call("workflow_start", { workflow: "walk", request: "Two", new: true }),
    ]);
    expect(first.session).not.toBe(second.session);
    for (const step of ["build", "ship"]) {
      const replies = await Promise.all([
        one.call("workflow_advance", { output: "1", session: first.session, run_id: first.runId }),
        two.call("workflow_advance", { output: "2", session: second.session, run_id: second.runId }),
      ]);
      expect(replies).toMatchObject([
        { step, runId: first.runId },
        { step, runId: second.runId },
      ]);
    }
  });

  it("cancels a call, and its gate ends with it", async () => {
    await project.holdfast(["trust", "gated", ...giveSecret(project)]);
    const { call } = await connectTo(served);
    const { session, runId, ...rest } = await call("workflow_start", { workflow: "gated" });
    expect(rest).toMatchObject({ step: "work" });
    const stop = new AbortController();
    const advance = call("workflow_advance", { output: "done", session }, stop.signal);
    await until(() => existsSync(join(project.root, "begun")));
    stop.abort();
    await expect(advance).rejects.toThrow();
    await until(async () => (await call("workflow_status", { session })).runningGate === undefined);
    expect(await call("workflow_status", { session })).toMatchObject({ status: "running", step: "work", runId });
    expect(existsSync(join(project.root, "ended"))).toBe(false);
  });
});

describe("a client that sends plain requests", () => {
  const path = () => `/mcp/${served.id}`;
  const own = () => ({ authorization: `Bearer ${served.tokens.agent}`, accept: "application/json, text/event-stream" });
  const advance = (run_id: string, token: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "workflow_advance", arguments: { run_id, token, output: "done" } },
  });

  async function gateBegun() {
    project.write(".holdfast/workflows/gated.yaml", gated.replace("sleep 60", "until [ -e go ]; do sleep 0.05; done"));
    await project.holdfast(["trust", "gated", ...giveSecret(project)]);
    const { call } = await connectTo(served);
    const { runId, token } = await call("workflow_start", { workflow: "gated" });
    return { body: advance(runId, token), runId };
  }
  const hasBegun = () => existsSync(join(project.root, "begun"));

  it("cannot cancel the call of another one with the same token", async () => {
    const { body } = await gateBegun();
    const one = askServer(served.server.port, path(), { body, headers: own() });
    await until(hasBegun);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    for (const headers of [own(), { ...own(), "mcp-session-id": "another" }, { ...own(), "x-holdfast-session": "x" }]) {
      expect((await askServer(served.server.port, path(), { body: cancelled, headers })).status).toBe(202);
    }
    project.write("go", "");
    expect((await one).text).toContain('\\"status\\":\\"complete\\"');
    expect(existsSync(join(project.root, "ended"))).toBe(true);
  });

  it("cancels its own call by closing the connection", async () => {
    const { body, runId } = await gateBegun();
    const stop = new AbortController();
    const headers = { ...own(), "content-type": "application/json" };
    const url = `http://127.0.0.1:${served.server.port}${path()}`;
    const call = fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal: stop.signal });
    await until(hasBegun);
    stop.abort();
    await expect(call.then((answer) => answer.text())).rejects.toThrow();
    const { call: ask } = await connectTo(served);
    await until(async () => (await ask("workflow_status", { run_id: runId })).runningGate === undefined);
    expect(existsSync(join(project.root, "ended"))).toBe(false);
  });

  it("may name its session in any letters, and gets a plain name back that stands for it", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const greet = async (name: string, session: string) => {
      const headers = { ...own(), [name]: session };
      const answer = await askServer(served.server.port, path(), { body, headers });
      expect(answer.status).toBe(200);
      return String(answer.headers["mcp-session-id"]);
    };
    const odd = Buffer.from("Sitzung-ü-日本").toString("latin1");
    const plain = await greet("x-holdfast-session", odd);
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(await greet("mcp-session-id", odd)).toBe(plain);
    expect(await greet("mcp-session-id", plain)).toBe(plain);
    expect(await greet("x-holdfast-session", "a".repeat(5_000))).toMatch(/^[0-9a-f]{64}$/);
  });

  it("gets no more than 1 MB of its body read", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(1_100_000) } };
    const { status, json } = await askServer(served.server.port, path(), { body, headers: own() });
    expect([status, json.error.code]).toEqual([413, "too-large"]);
  });
});

describe("whoever has no token of an agent", () => {
  const path = () => `/mcp/${served.id}`;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const accept = "application/json, text/event-stream";

  it.each([
    { who: "nobody", give: () => ({}), status: 401, code: "token-needed" },
    { who: "a wrong token", give: () => bearer("nope"), status: 401, code: "token-wrong" },
    { who: "a read token", give: () => bearer(served.tokens.read), status: 403, code: "level-too-low" },
  ])("is refused: $who", async ({ give, status, code }) => {
    const headers = give();
    const answer = await askServer(served.server.port, path(), { body, headers: { accept, ...headers } });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it("is refused with the cookie of a person, too: the tools are for agents", async () => {
    const headers = {
      ...(await enterWith(served.server)),
      "x-holdfast": "page",
      origin: `http://127.0.0.1:${served.server.port}`,
    };
    const answer = await askServer(served.server.port, path(), { body, headers: { accept, ...headers } });
    expect([answer.status, answer.json.error.code]).toEqual([401, "token-needed"]);
  });
});

it("an agent cannot act as a person: it is not asked in a dialog, and an approval stays open", async () => {
  project.write(
    ".holdfast/workflows/asks.yaml",
    "name: asks\ndescription: Asks\nsteps: [{ id: a, type: action, instructions: Go, gate: [{ approval: human }] }]\n",
  );
  const { call } = await connectTo(served);
  const { session } = await call("workflow_start", { workflow: "asks" });
  expect(await call("workflow_advance", { output: "done", session })).toMatchObject({
    error: { code: "approval-needed" },
  });
  expect(await call("workflow_status", { session })).toMatchObject({ status: "waiting" });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}
