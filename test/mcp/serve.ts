import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { serveClient } from "../../src/mcp/serve-client.ts";
import { type Calling, ended, type Project } from "../cli/program.ts";

// biome-ignore lint/suspicious/noExplicitAny: a server's JSON is compared with literals
export type Json = any;

/** How a connection is opened and what every request carries. */
export type Era = "2025-11-25" | "2026-07-28";

export interface Server {
  /** Sends one request; the whole answer, an error too. */
  request(method: string, params?: Json): Promise<Json>;
  /** Sends a request and tells its id, for who wants to cancel it. */
  begin(method: string, params?: Json): { readonly id: number; readonly answer: Promise<Json> };
  notify(method: string, params?: Json): void;
  /** Bytes as they are. */
  write(text: string): void;
  /** Calls a tool; its result. */
  call(name: string, input?: Json): Promise<Json>;
  /** Calls a tool and expects a yes; its value. */
  ok(name: string, input?: Json): Promise<Json>;
  /** Calls a tool and expects a no; its error. */
  no(name: string, input?: Json): Promise<Json>;
  readonly notifications: Json[];
  /** What came that answers no request of ours. */
  readonly strays: Json[];
  /** Ends standard input and waits for the process to end. */
  close(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** A server in a process of its own. */
export interface ServerProcess extends Server {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
}

export interface Serving extends Calling {
  readonly era?: Era;
  readonly words?: readonly string[];
}

/** A server of its own process over the project, spoken to line by line. */
export async function serve(project: Project, serving: Serving = {}): Promise<ServerProcess> {
  const child = project.begin(["mcp", ...(serving.words ?? [])], serving);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const server = await greet(child.stdin, child.stdout, ended(child), serving.era);
  return { ...server, child, pid: child.pid ?? 0 };
}

/** A server within this process, for what does not depend on having one of its own. */
export function serveHere(project: Project, serving: Omit<Serving, "words"> = {}): Promise<Server> {
  const { cwd = project.root, env = {}, era } = serving;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const folders = { cwd, worktree: cwd, stateRoot: undefined, workflow: undefined };
  const served = serveClient(folders, { ...project.env, ...env }, input, output);
  const over = new Promise<Over>((resolve, reject) => {
    input.once("close", () => served.close().then(() => resolve({ code: 0, stderr: "" }), reject));
  });
  onTestFinished(() => void input.end());
  return greet(input, output, over, era);
}

interface Over {
  readonly code: number | null;
  readonly stderr: string;
}

/** Opens a connection over two streams, whose other end is a server that is `over` some time. */
async function greet(input: Writable, output: Readable, over: Promise<Over>, era: Era = "2025-11-25"): Promise<Server> {
  input.on("error", () => {});
  const open = new Map<number, (answer: Json) => void>();
  const notifications: Json[] = [];
  const strays: Json[] = [];
  createInterface({ input: output }).on("line", (line) => {
    const message: Json = JSON.parse(line);
    const settle = open.get(message.id);
    if (settle !== undefined) settle(message);
    else if (message.id === undefined && message.method !== undefined) notifications.push(message);
    else strays.push(message);
  });
  let last = 0;
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": era,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const send = (message: Json) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clothed = (params: Json) =>
    era === "2025-11-25" ? params : { ...params, _meta: { ...envelope, ...params?._meta } };
  const server: Server = {
    begin(method, params = {}) {
      const id = ++last;
      const answer = new Promise<Json>((resolve, reject) => {
        open.set(id, resolve);
        over.then(({ stderr }) => reject(new Error(`the server ended: ${stderr}`)), reject);
      });
      answer.catch(() => {});
      send({ id, method, params: clothed(params) });
      return { id, answer };
    },
    request: (method, params) => server.begin(method, params).answer,
    notify: (method, params = {}) => send({ method, params: clothed(params) }),
    write: (text) => input.write(text),
    async call(name, input = {}) {
      const { result, error } = await server.request("tools/call", { name, arguments: input });
      if (error !== undefined) throw new Error(`a protocol error: ${JSON.stringify(error)}`);
      expect(result.structuredContent).toEqual(JSON.parse(result.content[0].text));
      return result;
    },
    async ok(name, input) {
      const { isError, structuredContent } = await server.call(name, input);
      if (isError === true) throw new Error(`refused: ${JSON.stringify(structuredContent)}`);
      return structuredContent;
    },
    async no(name, input) {
      const { isError, structuredContent } = await server.call(name, input);
      if (isError !== true) throw new Error(`accepted: ${JSON.stringify(structuredContent)}`);
      return structuredContent.error;
    },
    notifications,
    strays,
    close() {
      input.end();
      return over;
    },
  };
  if (era === "2025-11-25") {
    const clientInfo = { name: "test", version: "1" };
    const { result } = await server.request("initialize", { protocolVersion: era, capabilities: {}, clientInfo });
    expect(result.protocolVersion).toBe(era);
    server.notify("notifications/initialized");
  } else {
    const { result } = await server.request("server/discover");
    expect(result.supportedVersions).toContain(era);
  }
  return server;
}

/** Asks again and again until it is so; a bounded wait for what sends no event. */
export async function until<T>(what: string, look: () => T | Promise<T>, limitMs = 60_000): Promise<NonNullable<T>> {
  const end = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function lines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** A file that lets the project's person act from a script. */
export function giveSecret(project: Project): readonly string[] {
  const secret = "a-secret-of-more-than-sixteen-signs";
  const file = project.write("../home/.config/holdfast/secret", `${secret}\n`);
  return ["--as", "ada", "--secret-file", file];
}

/** The user's own setting that every workflow may run its commands. */
export function trustAll(project: Project): void {
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
}

export function addWorkflow(project: Project, name: string, yaml: string): void {
  project.write(`.holdfast/workflows/${name}.yaml`, `name: ${name}\ndescription: A test\n${yaml}\n`);
}

/** Every event of the only run, without what differs each time. */
export function eventTypes(project: Project): string[] {
  const commits: Json[] = project
    .journal()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return commits.flatMap((commit) => commit.events ?? []).map((event: Json) => event.type);
}
