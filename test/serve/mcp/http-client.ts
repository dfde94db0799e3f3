import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { type RunningServer, startServer } from "../../../src/serve/server.ts";
import type { Project } from "../../cli/program.ts";
import { ada } from "../serving.ts";

export const tokens = { agent: "hf_agent-token", read: "hf_read-token" } as const;

/** A server over a project's files, with a token for each level. */
export function startFor(project: Project, port = 0): Promise<RunningServer> {
  return startServer({
    env: project.env,
    port,
    host: "127.0.0.1",
    proxy: null,
    person: ada,
    report: (error) => {
      throw error;
    },
    findToken: (token) => {
      if (token === tokens.agent) return { name: "builder", level: "agent" };
      return token === tokens.read ? { name: "watcher", level: "read" } : null;
    },
  });
}

export interface HttpClient {
  /** Calls a tool and returns its reply, or its error. */
  // biome-ignore lint/suspicious/noExplicitAny: a reply is compared with literals
  call(name: string, input?: object, signal?: AbortSignal): Promise<any>;
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  close(): Promise<void>;
}

/** The SDK's own client. */
export async function connectTo(
  { port, projects }: Pick<RunningServer, "port" | "projects">,
  headers: Record<string, string> = {},
): Promise<HttpClient> {
  const url = new URL(`http://127.0.0.1:${port}/mcp/${projects[0]?.id}`);
  const authorization = `Bearer ${tokens.agent}`;
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization, ...headers } } });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  return {
    client,
    transport,
    async call(name, input = {}, signal) {
      const result = await client.callTool({ name, arguments: { ...input } }, signal === undefined ? {} : { signal });
      const [content] = result.content as { type: string; text: string }[];
      expect(content?.type).toBe("text");
      return JSON.parse(content?.text ?? "");
    },
    close: () => client.close(),
  };
}
