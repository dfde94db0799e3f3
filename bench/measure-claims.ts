// What an advance over MCP costs where many agents work on a loop. Started by run.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tasksOf } from "./long-run.ts";
import { type BareClient, openServer } from "./mcp-client.ts";
import { makeProject } from "./project.ts";
import { type Aim, median, report, timed } from "./report.ts";

const [, , program = ""] = process.argv;
const rounds = 500;
const warmUp = 100;
/** Agents do not call in a row. */
const pauseMs = 10;
/** So many advances are within a task; the next one ends it and begins another. */
const subSteps = 25;

const workflow = `
name: wide
description: a loop that many agents work on
loops:
  work:
${Array.from({ length: subSteps }, (_, n) => `    - { id: part${n}, instructions: "Do part ${n} of {task.title}" }`).join("\n")}
steps:
  - { id: work, type: loop, parallel: 100 }
  - { id: ship, type: action, instructions: Ship it, outcomes: { again: work, over: next } }
`;

interface Shape {
  readonly tasks: number;
  readonly claims: number;
  /** Each task depends on the one before it, so all but one are blocked. */
  readonly chained?: true;
}

/** A server on a run of its own, and the token of the task that is worked on. */
interface Side {
  readonly server: BareClient;
  readonly shape: Shape;
  readonly times: number[];
  token: string;
}

const shapes: readonly Shape[] = [
  { tasks: 10, claims: 1 },
  { tasks: 10_000, claims: 100 },
  { tasks: 10_000, claims: 1, chained: true },
];
const projects = await Promise.all(shapes.map(() => makeProject([])));
const sides: Side[] = [];
try {
  for (const [index, shape] of shapes.entries()) sides.push(await begin(projects[index]?.folder ?? "", shape));
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.times.push(await step(side));
  }
  const [small, large, chain] = sides;
  const aims = [
    aim("10,000 tasks and 100 open claims against 10 tasks", small, large),
    aim("10,000 tasks that depend on each other in a chain against 10 tasks", small, chain),
  ];
  process.exitCode = report(aims) ? 0 : 1;
} finally {
  await Promise.all(sides.map(({ server }) => server.close()));
  for (const project of projects) project.remove();
}

function aim(name: string, small: Side | undefined, large: Side | undefined): Aim {
  if (small === undefined || large === undefined) throw new Error("both sides must have begun");
  const micros = ({ times }: Side) => median(times.slice(warmUp));
  const value = micros(large) / micros(small);
  const row = (side: Side, ratio: string) => {
    const { tasks, claims } = side.shape;
    return [tasks.toLocaleString("en"), String(claims), `${micros(side).toFixed(0)} µs`, ratio];
  };
  const rows = [["tasks", "open claims", "time", "ratio"], row(small, "1.00"), row(large, value.toFixed(2))];
  return { name: `workflow_advance: ${name}`, rows, value, most: 1.3 };
}

async function begin(folder: string, shape: Shape): Promise<Side> {
  mkdirSync(join(folder, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/workflows/wide.yaml"), workflow);
  const server = openServer(program, ["mcp"], folder);
  await server.open();
  await call(server, "workflow_start", { workflow: "wide" });
  const { token } = await call(server, "workflow_set_tasks", { loop_id: "work", tasks: listOf(shape) });
  for (let n = 1; n < shape.claims; n++) await call(server, "workflow_status", { task: `t${n}` });
  return { server, shape, times: [], token: token ?? "" };
}

function listOf({ tasks, chained }: Shape): readonly object[] {
  const list = tasksOf(tasks);
  return chained ? list.map((task, n) => ({ ...task, ...(n > 0 && { depends_on: [`t${n - 1}`] }) })) : list;
}

/** One advance, and what it took. What has to be set up for the next one is not measured. */
async function step(side: Side): Promise<number> {
  const { server } = side;
  await setTimeout(pauseMs);
  let reply: Answer = {};
  const micros = await timed(async () => {
    reply = await call(server, "workflow_advance", { output: "done", token: side.token });
  });
  if (reply.step === "ship") {
    await call(server, "workflow_advance", { output: "done", outcome: "again" });
    reply = await call(server, "workflow_set_tasks", { loop_id: "work", tasks: listOf(side.shape) });
  }
  // A session with many tasks is given no other by itself.
  const [free] = reply.openTasks ?? [];
  if (reply.token === null && free !== undefined) reply = await call(server, "workflow_status", { task: free.id });
  side.token = reply.token ?? "";
  return micros;
}

interface Answer {
  readonly token?: string | null;
  readonly step?: string;
  readonly openTasks?: readonly { readonly id: string }[];
}

async function call(server: BareClient, name: string, input: object): Promise<Answer> {
  const result = await server.call("tools/call", { name, arguments: input });
  const { isError, structuredContent } = result as { isError?: boolean; structuredContent: Answer };
  if (isError) throw new Error(JSON.stringify(structuredContent));
  return structuredContent;
}
