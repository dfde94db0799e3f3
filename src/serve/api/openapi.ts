import { operations } from "../../app/operations.ts";
import { costsSchema, runsSchema } from "./across.ts";
import { type InputSchema, inputSchema } from "./input.ts";
import { type ServedOperation, served, servedOperation } from "./served.ts";

/** The API as OpenAPI 3.1, made from the schemas of the operations themselves. */
export function openApi(version: string): object {
  const own = Object.entries(fixedPaths).map(([path, [summary, input, type]]) => [
    path,
    {
      get: {
        summary,
        parameters: queryOf(input()),
        "x-level": "read",
        ...(type === undefined ? answers : textOf(type)),
      },
    },
  ]);
  const paths = Object.keys(served).flatMap((name) => {
    const found = servedOperation(name);
    return found === null ? [] : [[`/api/projects/{project}/${name}`, pathOf(...found)] as const];
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      description: "What the command line does, over HTTP. x-level says which level of token an operation needs.",
    },
    paths: Object.fromEntries([...own, ...paths]),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: problem },
    },
    security: [{ token: [] }],
  };
}

const nothing = (): InputSchema => ({ type: "object", properties: {}, additionalProperties: false });

/** What one run, or one project, is named by. */
const liveInput = (): InputSchema => ({
  type: "object",
  properties: {
    project: { type: "string", description: "Only what happens in this project." },
    run: { type: "string", description: "Only what happens to this run." },
  },
  additionalProperties: false,
});

type FixedPath = readonly [summary: string, input: () => InputSchema, text?: string];

const fixedPaths: Readonly<Record<string, FixedPath>> = {
  "/api/me": ["Who you are to the server.", nothing],
  "/api/projects": ["The projects of this user.", nothing],
  "/api/inbox": ["What waits for a person in all projects, oldest first.", nothing],
  "/api/runs": ["The runs of all projects as cards, newest first.", runsSchema],
  "/api/costs": ["What the runs of all projects have taken, by day, workflow, step and run.", costsSchema],
  "/api/live": [
    "Server-sent events when a run moves; Last-Event-ID goes on after a break, and `reset` says to read everything again.",
    liveInput,
    "text/event-stream",
  ],
  "/metrics": ["Runs by state, and requests by route and status, for Prometheus.", nothing, "text/plain"],
};

const problem = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: { code: { type: "string" }, message: { type: "string" }, next: { type: "string" } },
      required: ["code", "message", "next"],
    },
  },
  required: ["error"],
};

const refused = {
  description: "What is wrong, and what to do next.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
};
const answers = {
  responses: {
    200: { description: "What `--json` prints on the command line.", content: { "application/json": { schema: {} } } },
    default: refused,
  },
};

function textOf(type: string): object {
  const content = { [type]: { schema: { type: "string" } } };
  return { responses: { 200: { description: "A text.", content }, default: refused } };
}

function queryOf({ properties, required = [] }: InputSchema): readonly object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function pathOf(name: keyof typeof operations, options: ServedOperation): object {
  const schema = inputSchema(name, options);
  const project = { name: "project", in: "path", required: true, schema: { type: "string" } };
  const common = { operationId: name, summary: operations[name].summary, "x-level": options.level, ...answers };
  if (options.method === "GET") {
    return { get: { ...common, parameters: [project, ...queryOf(schema)] } };
  }
  const requestBody = { required: true, content: { "application/json": { schema } } };
  return { post: { ...common, parameters: [project], requestBody } };
}
