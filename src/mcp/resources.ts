import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import { reveal } from "../model/written/unseen-text.ts";
import type { CallHandler } from "./call-handler.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { ResourceReaders, ResourceText } from "./resource-readers.ts";

/** Registers the read-only resources. */
export function addResources(server: McpServer, calls: () => Promise<CallHandler>): void {
  const read = async <T>(from: (readers: ResourceReaders) => Promise<ResourceText<T>>): Promise<T> => {
    const result = await calls()
      .then(({ resources }) => from(resources))
      .catch((error): never => {
        throw new ProtocolError(ProtocolErrorCode.InternalError, wordFailure(failureOf(error)));
      });
    if (result.ok) return result.value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.problem);
  };
  const text = (uri: URL, mimeType: string, body: string) => ({ contents: [{ uri: uri.href, mimeType, text: body }] });
  server.registerResource(
    "run",
    new ResourceTemplate("holdfast://runs/{id}", {
      list: async () => ({
        resources: (await read((readers) => readers.runs())).map((name) => ({ name, uri: `holdfast://runs/${name}` })),
      }),
    }),
    { description: "The status of a run", mimeType: "application/json" },
    async (uri, { id }) => text(uri, "application/json", await read((readers) => readers.status(String(id)))),
  );
  server.registerResource(
    "journal",
    new ResourceTemplate("holdfast://runs/{id}/journal", { list: undefined }),
    { description: "The events of a run, one JSON object per line", mimeType: "application/jsonl" },
    async (uri, { id }) => text(uri, "application/jsonl", await read((readers) => readers.journal(String(id)))),
  );
  server.registerResource(
    "handoff",
    new ResourceTemplate("holdfast://runs/{id}/handoff", { list: undefined }),
    { description: "The text that brings an agent back to a run", mimeType: "text/plain" },
    async (uri, { id }) => text(uri, "text/plain", await read((readers) => readers.handoff(String(id)))),
  );
  server.registerResource(
    "workflow",
    new ResourceTemplate("holdfast://workflows/{name}", {
      list: async () => {
        const names = await read((readers) => readers.workflows());
        return {
          resources: names.map((name) => ({
            name: reveal(name),
            uri: `holdfast://workflows/${encodeURIComponent(name)}`,
          })),
        };
      },
    }),
    { description: "The steps of a workflow", mimeType: "application/json" },
    async (uri, { name }) =>
      text(uri, "application/json", await read((readers) => readers.workflow(decoded(String(name))))),
  );
}

function wordFailure({ message, next }: Failure): string {
  return reveal(`${message}; ${next}`);
}

/** The decoded name, or the name itself if it is not percent-encoded correctly. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
