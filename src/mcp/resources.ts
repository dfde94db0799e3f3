import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import type { CallHandler } from "./call-handler.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { ResourceReaders, ResourceText } from "./resource-readers.ts";

/** What can be looked at, under its address. */
export function addResources(server: McpServer, calls: () => Promise<CallHandler>): void {
  const look = async <T>(at: (looks: ResourceReaders) => Promise<ResourceText<T>>): Promise<T> => {
    const shown = await calls()
      .then(({ resources }) => at(resources))
      .catch((error): never => {
        throw new ProtocolError(ProtocolErrorCode.InternalError, wordFailure(failureOf(error)));
      });
    if (shown.ok) return shown.value;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, shown.problem);
  };
  const text = (uri: URL, mimeType: string, body: string) => ({ contents: [{ uri: uri.href, mimeType, text: body }] });
  server.registerResource(
    "run",
    new ResourceTemplate("holdfast://runs/{id}", {
      list: async () => ({
        resources: (await look((looks) => looks.runs())).map((name) => ({ name, uri: `holdfast://runs/${name}` })),
      }),
    }),
    { description: "The status of a run", mimeType: "application/json" },
    async (uri, { id }) => text(uri, "application/json", await look((looks) => looks.status(String(id)))),
  );
  server.registerResource(
    "journal",
    new ResourceTemplate("holdfast://runs/{id}/journal", { list: undefined }),
    { description: "The events of a run, one JSON a line", mimeType: "application/jsonl" },
    async (uri, { id }) => text(uri, "application/jsonl", await look((looks) => looks.journal(String(id)))),
  );
  server.registerResource(
    "handoff",
    new ResourceTemplate("holdfast://runs/{id}/handoff", { list: undefined }),
    { description: "The text that puts an agent back on a run", mimeType: "text/plain" },
    async (uri, { id }) => text(uri, "text/plain", await look((looks) => looks.handoff(String(id)))),
  );
  server.registerResource(
    "workflow",
    new ResourceTemplate("holdfast://workflows/{name}", {
      list: async () => {
        const names = await look((looks) => looks.workflows());
        return { resources: names.map((name) => ({ name, uri: `holdfast://workflows/${encodeURIComponent(name)}` })) };
      },
    }),
    { description: "The steps of a workflow", mimeType: "application/json" },
    async (uri, { name }) =>
      text(uri, "application/json", await look((looks) => looks.workflow(decoded(String(name))))),
  );
}

function wordFailure({ message, next }: Failure): string {
  return `${message}; ${next}`;
}

/** A name as it was before it became part of an address; as it stands where it never was. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
