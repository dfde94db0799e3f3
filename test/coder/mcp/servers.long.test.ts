import { createServer } from "node:http";
import { join } from "node:path";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../scripts/bundle-cli.ts";
import { makeFolder } from "../../store/project.ts";
import { createCoded, key } from "../coded.ts";
import type { ModelAnswer } from "../model/answer.ts";
import type { MessageResult, ModelRequest } from "../model/request.ts";
import type { WireName } from "../model/start.ts";
import { createToolsServer } from "./tools-server.ts";

const place = makeFolder();
const program = join(place.folder, "stdio-server.mjs");
beforeAll(() => bundleProgram(program, "test/coder/mcp/workers/stdio-server.ts"));
afterAll(() => place.remove());

const call = (name: string, input: Record<string, unknown> = {}) => ({ name, input });
const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });
const done = calls(call("done", { output: "The end" }));

/** How settings name a variable. */
const variable = (name: string) => `\${${name}}`;

type Settings = Readonly<Record<string, unknown>>;
const node = (...args: string[]): Settings => ({ command: process.execPath, args });
const serve = (...words: string[]): Settings => node(program, ...words);

const single = (hints = "") =>
  `name: story\ndescription: A step\nsteps: [{ id: A, type: action, instructions: Do it${hints} }]\n`;

interface Scene {
  readonly mcp: Settings;
  readonly more?: string;
  readonly hints?: string;
  readonly wire?: WireName;
  readonly words?: readonly string[];
}

/** A run in which the model makes these calls, one reply after the other, with the results that it gets. */
async function play({ mcp, more = "", hints, wire, words = [] }: Scene, ...steps: readonly ModelAnswer[]) {
  const project = await createCoded({
    ...(wire && { wire }),
    workflow: single(hints),
    settings: `  mcp: ${JSON.stringify(mcp)}\n${more}`,
    answer: (_request, index) => steps[index] ?? done,
  });
  const ended = await project.run("--no-wait", ...words);
  const { requests } = project.model;
  const results = requests.slice(1).map(({ messages }) => messages.at(-1)?.results ?? []);
  return { project, ended, said: ended.stdout + ended.stderr, requests, results };
}

function first(results: readonly (readonly MessageResult[])[], index = 0): MessageResult | undefined {
  return results[index]?.[0];
}

async function serveHttp(seen: Record<string, unknown>[]): Promise<string> {
  const handler = createMcpHandler(createToolsServer);
  const server = createServer(async (request, response) => {
    seen.push(request.headers);
    if (request.headers.authorization !== "Bearer open-sesame-24") {
      response.writeHead(401).end();
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? "GET", headers, ...body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const part of answer.body ?? []) response.write(part);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await handler.close();
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server on a port has an address");
  return `http://127.0.0.1:${address.port}/mcp`;
}

const toolsIn = ({ tools }: ModelRequest) => tools.filter((name) => name.startsWith("kit_"));

describe.each(["anthropic", "openai-responses", "openai-chat"] satisfies WireName[])("with %s", (wire) => {
  test("a model calls the tools of a server, and gets the same list of them in every request", async () => {
    const { ended, said, requests, results } = await play(
      { mcp: { kit: serve() }, wire },
      calls(call("kit_echo", { text: "hello" })),
      calls(call("kit_grow")),
      calls(call("kit_picture")),
    );
    expect(ended.code, said).toBe(0);
    expect(first(results)?.text).toBe("heard hello");
    expect(first(results, 2)?.text).toBe(
      "A tree \ufffd\n[image, image/png, 3 KB: not shown]\n[resource file:///tree.txt]\nleaves",
    );
    expect(toolsIn(requests[0] as ModelRequest)).toEqual(
      ["crash", "echo", "environment", "flood", "grow", "hang", "meet", "picture", "refuse"].map(
        (name) => `kit_${name}`,
      ),
    );
    const [before, ...others] = requests.map(({ body }) => JSON.stringify(body.tools));
    for (const after of others) expect(after).toBe(before);
    expect(before).toContain("Says it again");
    expect(before).toContain("What to say");
    expect(before).not.toMatch(/\u202e|\\u0007/);
  });
});

describe("a server", () => {
  test.each([
    ["that knows only newer versions of the protocol", "modern"],
    ["that knows older ones, too", "tools"],
  ])("%s can be used", async (_name, kind) => {
    const { results, said } = await play({ mcp: { kit: serve(kind) } }, calls(call("kit_echo", { text: "hello" })));
    expect(first(results)?.text, said).toBe("heard hello");
  });

  test("behind an address gets the headers, with the variables that they name", async () => {
    const seen: Record<string, unknown>[] = [];
    const url = await serveHttp(seen);
    const kit = { url, headers: { authorization: "Bearer open-sesame-24" } };
    const { results, said } = await play(
      { mcp: { kit } },
      calls(call("kit_echo", { text: "hello" })),
      calls(call("kit_refuse")),
    );
    expect(first(results)?.text, said).toBe("heard hello");
    expect(first(results, 1)).toMatchObject({ text: "out of paint", isError: true });
    const refused = await play({
      mcp: { kit: { url, headers: { authorization: `Bearer ${variable("LOCAL_KEY")}` } } },
    });
    expect(refused.said).toMatch(/the MCP server kit cannot be used: it answered 401; a key goes into headers/);
    expect(seen.at(-1)?.authorization).toBe(`Bearer ${key}`);
    expect(refused.said).not.toContain(key);
    expect(refused.requests).toHaveLength(0);
  });

  test("gets usual variables and its own, no key of a provider, and starts in the worktree", async () => {
    const kit = { ...serve(), env: { GIVEN: `x-${variable("TZ")}` } };
    const { project, results } = await play({ mcp: { kit } }, calls(call("kit_environment")));
    const { env, cwd } = JSON.parse(first(results)?.text ?? "{}");
    expect(env).toMatchObject({ GIVEN: "x-UTC", PATH: expect.any(String), HOLDFAST_AGENT: "1" });
    expect(Object.keys(env).filter((name) => /KEY|ANTHROPIC|OPENAI|SESSION/.test(name))).toEqual([]);
    expect(cwd).toBe(project.root);
  });

  test("that gives away a secret of this machine has it masked, also where the result is cut", async () => {
    const kit = { ...serve(), env: { LEAKED: variable("LOCAL_KEY") } };
    const { requests, results } = await play(
      { mcp: { kit } },
      calls(call("kit_environment")),
      calls(call("kit_flood", { size: 100_000 })),
    );
    expect(first(results)?.text).toContain("LEAKED");
    expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain(key);
    const flood = first(results, 1)?.text ?? "";
    expect(flood).toMatch(/^begin x+\n\[\d+ characters left out here; ask for less at once\]\nx+ end$/);
    expect(flood.length).toBeLessThan(30_200);
  });

  test("that crashes or hangs in a call fails that call, and is started again for the next", async () => {
    const { results, said } = await play(
      { mcp: { kit: { ...serve(), seconds: 8 } } },
      calls(call("kit_environment")),
      calls(call("kit_crash")),
      calls(call("kit_environment")),
      calls(call("kit_hang")),
      calls(call("kit_flood", { size: 11_000_000 })),
      calls(call("kit_echo", { text: "back" })),
    );
    expect(first(results, 1), said).toMatchObject({
      text: expect.stringMatching(
        /the MCP server kit gave no result: it ended with 7: the tree fell\. It is started again/,
      ),
      isError: true,
    });
    const [before, after] = [0, 2].map((index) => JSON.parse(first(results, index)?.text ?? "{}").pid);
    expect(after).not.toBe(before);
    expect(first(results, 3)?.text).toMatch(/gave no result: it did not answer within 8 s/);
    expect(first(results, 4)?.text).toMatch(/a message of more than 10 MB/);
    expect(first(results, 5)?.text).toBe("heard back");
    expect(() => process.kill(before, 0)).toThrow();
    expect(() => process.kill(after, 0)).toThrow();
  });

  test("that only reads is called at the same time as others that do", async () => {
    const { results, said } = await play(
      { mcp: { kit: serve() } },
      calls(call("kit_meet"), call("kit_meet"), call("read", { path: "README.md" })),
    );
    expect(
      results[0]?.map(({ text }) => text.slice(0, 3)),
      said,
    ).toEqual(["met", "met", expect.any(String)]);
  });
});

describe("permissions", () => {
  test("a run that may only read calls only tools that say that they read", async () => {
    const { results } = await play(
      { mcp: { kit: serve() }, words: ["--permissions", "read"] },
      calls(call("kit_meet"), call("kit_meet")),
      calls(call("kit_echo", { text: "hello" })),
    );
    expect(results[0]?.map(({ text }) => text)).toEqual(["met", "met"]);
    expect(first(results, 1)?.text).toBe("kit_echo is not available: this run may only read");
  });

  test.each([["kit_echo"], ["mcp__kit__echo"]])("the settings deny %s", async (denied) => {
    const { requests, results } = await play(
      { mcp: { kit: serve() }, more: `  deny: [${denied}]\n` },
      calls(call("kit_refuse")),
    );
    expect(toolsIn(requests[0] as ModelRequest)).not.toContain("kit_echo");
    expect(first(results)?.text).toBe("out of paint");
  });

  test.each([["kit_echo"], ["mcp__kit__echo"], ["mcp__kit"]])(
    "a step names %s as a tool that it needs",
    async (named) => {
      const { results } = await play(
        { mcp: { kit: serve() }, hints: `, tools: [read, ${named}]` },
        calls(call("kit_echo", { text: "hello" })),
        calls(call("write", { path: "x", content: "x" })),
      );
      expect(first(results)?.text).toBe("heard hello");
      expect(first(results, 1)?.text).toBe("write is not available in this step");
    },
  );
});

describe("before anything is asked of a model, a run is refused when a server", () => {
  const refusals: readonly [name: string, mcp: Settings, says: RegExp][] = [
    [
      "is no program",
      { kit: { command: "no-such-program" } },
      /kit cannot be used: there is no program no-such-program/,
    ],
    [
      "is a program of the project",
      { kit: { command: "./server.js" } },
      /there is no program \.\/server\.js; name one in PATH, or give its absolute path/,
    ],
    [
      "needs a variable",
      { kit: { ...serve(), env: { A: variable("NOT_SET") } } },
      /the variable NOT_SET, which it needs, is not set/,
    ],
    [
      "does not start",
      { kit: node("-e", 'console.error("no database"); process.exit(3)') },
      /it ended with 3: no database/,
    ],
    [
      "prints something else",
      { kit: { ...node("-e", 'console.log("Welcome!"); setInterval(() => {}, 1000)'), seconds: 4 } },
      /it did not answer within 4 s; it printed: Welcome!/,
    ],
    [
      "says nothing",
      { kit: { ...node("-e", "setInterval(() => {}, 1000)"), seconds: 4 } },
      /it did not answer within 4 s/,
    ],
    ["is not reached", { kit: { url: "http://127.0.0.1:9/mcp" } }, /kit cannot be used: .*(ECONNREFUSED|bad port)/],
    ["has no tools", { kit: serve("names") }, /it has no tools/],
    ["has a thousand", { kit: serve("many") }, /MCP servers have 1000 tools \(kit 1000\), and at most 117 can be sent/],
    ["has not the tool that is named", { kit: { ...serve(), tools: ["ech"] } }, /it has no tool ech/],
    ["has a parameter that providers refuse", { kit: serve("odd") }, /the tool kit_find has a parameter "\$filter"/],
  ];
  test.each(refusals)("%s", async (_name, mcp, says) => {
    const { said, ended, requests } = await play({ mcp });
    expect(said).toMatch(says);
    expect(said).toMatch(/coder(\.mcp\.kit|: \{)/);
    expect(ended.code).toBe(1);
    expect(requests).toHaveLength(0);
  });

  test("brings more text than the model has room for", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `tool${index}`);
    const { said } = await play({ mcp: { kit: serve("names", ...names) }, more: "  window: 4000\n" });
    expect(said).toMatch(/the descriptions of 40 tools of MCP servers have \d+ characters.*is the most for this model/);
  });
});

describe("the names of tools", () => {
  test("are valid for every provider, and none is used twice", async () => {
    const long = "a".repeat(80);
    const mcp = { read: serve("names", "output", "a.b c", long), a: serve("names", "b_c"), a_b: serve("names", "c") };
    const { requests, results, said } = await play({ mcp }, calls(call("read_a_b_c", { text: "x" })));
    const names = requests[0]?.tools ?? [];
    expect(new Set(names).size, said).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names.filter((name) => /^read_output|^a_b_c|^read_a/.test(name))).toEqual([
      "read_output",
      expect.stringMatching(/^a_b_c_[0-9a-f]{8}$/),
      expect.stringMatching(/^a_b_c_[0-9a-f]{8}$/),
      "read_a_b_c",
      expect.stringMatching(/^read_a{50}_[0-9a-f]{8}$/),
      expect.stringMatching(/^read_output_[0-9a-f]{8}$/),
    ]);
    expect(first(results)?.text).toBe("a.b c");
  });
});

test("a conversation goes on when a server is not configured any more", async () => {
  const asked: ModelAnswer[] = [
    calls(call("kit_echo", { text: "hello" })),
    calls(call("ask_question", { question: "Well?" })),
    calls(call("kit_echo", { text: "again" })),
  ];
  const { project, ended } = await play({ mcp: { kit: serve() } }, ...asked);
  expect(ended.code).toBe(4);
  await project.person("answer", "Go on");
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  expect(await project.resume()).toMatchObject({ code: 0 });
  const [, , , last] = project.model.requests;
  expect(last?.messages.at(-1)?.results[0]).toMatchObject({ text: expect.stringContaining("kit_echo") });
});
