import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { type RunningServer, type ServerOptions, startServer } from "../../src/serve/server.ts";
import { createProject, type Project } from "../cli/program.ts";

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a server's JSON is compared with literals
  readonly json: any;
}

/** What a browser that has opened a link sends for our page. The browser itself adds the cookie, also elsewhere. */
export type Browser = { readonly cookie: string; readonly "x-holdfast-key": string };

/** A server over a real socket, with a project of its own. */
export interface ServedProject {
  readonly server: RunningServer;
  readonly project: Project;
  /** Stands for the project in addresses. */
  readonly id: string;
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** The headers of a browser that has opened a link. */
  enter(): Promise<Browser>;
  /** What the page adds to a change. */
  readonly page: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export const approvedPlan = `
name: plan
description: A plan that a person approves.
steps:
  - id: plan
    type: action
    instructions: Write a plan.
    gate: [{ approval: human }]
  - id: build
    type: action
    instructions: Build it.
`;

export const ada = { by: "ada", seat: { terminal: "pts/1", programs: ["bash"] } };

export async function serveProject(
  options: Partial<ServerOptions> = {},
  workflow: string | null = null,
  project = createProject(),
): Promise<ServedProject> {
  if (workflow !== null) project.write(".holdfast/workflows/plan.yaml", workflow);
  const started = await project.holdfast(["start", workflow === null ? "feature" : "plan", "Add dark mode"]);
  if (started.code !== 0) throw new Error(started.stderr);
  const server = await startServer({
    env: project.env,
    port: 0,
    host: "127.0.0.1",
    proxy: null,
    person: ada,
    // Whether the page was built before the tests must make no difference to them.
    pageFolder: join(project.root, "no-page"),
    report: (error) => {
      throw error;
    },
    ...options,
  });
  const ask = (path: string, asked: Asked = {}) => askServer(server.port, path, asked);
  return {
    server,
    project,
    id: server.projects[0]?.id ?? "",
    ask,
    enter: () => enterWith(server),
    page: { "x-holdfast": "page", origin: `http://127.0.0.1:${server.port}` },
    close: () => server.close(),
  };
}

export async function enterWith(server: RunningServer): Promise<Browser> {
  return browserFrom(await askServer(server.port, new URL(server.makeLink()).pathname));
}

/** What a browser keeps of the answer to a link. */
export function browserFrom({ headers, text }: Pick<Answered, "headers" | "text">): Browser {
  const cookie = headers["set-cookie"]?.map((each) => each.split(";")[0]).join("; ");
  const [, key] = /<meta name="holdfast-key" content="([^"]+)">/.exec(text) ?? [];
  return { cookie: cookie ?? "", "x-holdfast-key": key ?? "" };
}

export function askServer(port: number, path: string, { method, headers, body }: Asked = {}): Promise<Answered> {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        agent: false,
      },
      async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const received = Buffer.concat(chunks).toString("utf8");
        const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: received,
          json: isJson ? JSON.parse(received) : null,
        });
      },
    );
    sent.once("error", reject);
    sent.end(text);
  });
}
