import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Deps, Outcome } from "../app/operation.ts";
import { operations } from "../app/operations.ts";
import { wordRefusal } from "../model/refusal.ts";

/** What can be looked at. Looking never hands anything out. */
export function addResources(server: McpServer, deps: Deps): void {
  const text = (uri: URL, mimeType: string, body: string) => ({ contents: [{ uri: uri.href, mimeType, text: body }] });
  server.registerResource(
    "run",
    new ResourceTemplate("holdfast://runs/{id}", { list: () => listRuns(deps) }),
    { description: "The status of a run", mimeType: "application/json" },
    async (uri, { id }) => {
      const status = demand(await operations.status.run(deps, { run: String(id) }));
      return text(uri, "application/json", JSON.stringify(status));
    },
  );
  server.registerResource(
    "journal",
    new ResourceTemplate("holdfast://runs/{id}/journal", { list: undefined }),
    { description: "The events of a run, one JSON a line", mimeType: "application/jsonl" },
    async (uri, { id }) => {
      const { events } = demand(await operations.log.run(deps, { run: String(id) }));
      return text(uri, "application/jsonl", events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    },
  );
  server.registerResource(
    "handoff",
    new ResourceTemplate("holdfast://runs/{id}/handoff", { list: undefined }),
    { description: "The text that puts an agent back on a run", mimeType: "text/plain" },
    async (uri, { id }) => {
      const { handoff } = demand(await operations.handoff.run(deps, { run: String(id) }));
      return text(uri, "text/plain", handoff);
    },
  );
  server.registerResource(
    "workflow",
    new ResourceTemplate("holdfast://workflows/{name}", { list: () => listWorkflows(deps) }),
    { description: "The steps of a workflow", mimeType: "application/json" },
    async (uri, { name }) => {
      const graph = demand(await operations.graph.run(deps, { workflow: String(name) }));
      return text(uri, "application/json", JSON.stringify(graph));
    },
  );
}

async function listRuns(deps: Deps) {
  const { runs } = demand(await operations.runs.run(deps, {}));
  return { resources: runs.map(({ runId }) => ({ name: runId, uri: `holdfast://runs/${runId}` })) };
}

async function listWorkflows(deps: Deps) {
  const { workflows } = demand(await operations.list.run(deps, {}));
  return {
    resources: workflows.map(({ name }) => ({ name, uri: `holdfast://workflows/${encodeURIComponent(name)}` })),
  };
}

function demand<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const { message, next } = wordRefusal(outcome.refusal);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message}; ${next}`);
}
