import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished } from "vitest";
import { createToken } from "../../../src/app/access/token-files.ts";
import { findUser } from "../../../src/project/find-user.ts";
import { rememberProject } from "../../../src/project/known-projects.ts";
import { type RunningServer, startServer } from "../../../src/serve/server.ts";
import type { Project } from "../../cli/program.ts";
import { ada } from "../serving.ts";

/** A server over a project's files, with a token for each level. It ends with the test. */
export interface ServedMcp {
  /** The one that runs now. */
  readonly server: RunningServer;
  /** Stands for the project in addresses. */
  readonly id: string;
  readonly tokens: { readonly agent: string; readonly read: string };
  /** Ends the server and starts another one on the same port. */
  restart(): Promise<void>;
}

export async function serveMcp(project: Project): Promise<ServedMcp> {
  const user = findUser(project.env);
  rememberProject(user, project.root);
  const create = (level: "agent" | "read") => {
    const token = createToken(user, { name: level, level, createdAt: new Date().toISOString() });
    if (token === null) throw new Error("there is such a token already");
    return token;
  };
  const tokens = { agent: create("agent"), read: create("read") };
  const start = (port: number) =>
    startServer({
      env: project.env,
      port,
      host: "127.0.0.1",
      proxy: null,
      person: ada,
      report: (error) => {
        throw error;
      },
    });
  let server = await start(0);
  onTestFinished(() => server.close());
  return {
    get server() {
      return server;
    },
    id: server.projects[0]?.id ?? "",
    tokens,
    async restart() {
      const { port } = server;
      await server.close();
      server = await start(port);
    },
  };
}

export interface HttpClient {
  /** Calls a tool and returns its reply, or its error. */
  // biome-ignore lint/suspicious/noExplicitAny: a reply is compared with literals
  call(name: string, input?: object, signal?: AbortSignal): Promise<any>;
  readonly client: Client;
}

/** The SDK's own client. It is closed when the test ends. */
export async function connectTo({ server, id, tokens }: ServedMcp): Promise<HttpClient> {
  const url = new URL(`http://127.0.0.1:${server.port}/mcp/${id}`);
  const headers = { authorization: `Bearer ${tokens.agent}` };
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, input = {}, signal) {
      const result = await client.callTool({ name, arguments: { ...input } }, signal === undefined ? {} : { signal });
      const [content] = result.content as { type: string; text: string }[];
      expect(content?.type).toBe("text");
      return JSON.parse(content?.text ?? "");
    },
  };
}
