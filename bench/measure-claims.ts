// What an advance over MCP costs where many agents work on a loop. Started by run.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tasksOf } from "./long-run.ts";
import { type BareClient, openServer } from "./mcp-client.ts";
import { makeProject } from "./project.ts";
import { median, report, timed } from "./report.ts";

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

/** A server on a run of its own, and the token of the task that is worked on. */
interface Side {
  readonly server: BareClient;
  readonly tasks: number;
  readonly claims: number;
  token: string;
}

const projects = [await makeProject([]), await makeProject([])];
const sides: Side[] = [];
try {
  for (const [index, size] of [
    { tasks: 10, claims: 1 },
    { tasks: 10_000, claims: 100 },
  ].entries()) {
    sides.push(await begin(projects[index]?.folder ?? "", size));
  }
  const [small, large] = sides;
  if (small === undefined || large === undefined) throw new Error("both sides must have begun");
  const times: { small: number; large: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [small, large] : [large, small];
    const taken = new Map<Side, number>();
    for (const side of order) taken.set(side, await step(side));
    times.push({ small: taken.get(small) ?? 0, large: taken.get(large) ?? 0 });
  }
  const steady = times.slice(warmUp);
  const micros = (side: "small" | "large") => median(steady.map((each) => each[side]));
  const value = micros("large") / micros("small");
  const name = "workflow_advance: 10,000 tasks and 100 open claims against 10 tasks";
  const rows = [
    ["tasks", "open claims", "time", "ratio"],
    ["10", "1", `${micros("small").toFixed(0)} µs`, "1.00"],
    ["10,000", "100", `${micros("large").toFixed(0)} µs`, value.toFixed(2)],
  ];
  process.exitCode = report([{ name, rows, value, most: 1.3 }]) ? 0 : 1;
} finally {
  await Promise.all(sides.map(({ server }) => server.close()));
  for (const project of projects) project.remove();
}

async function begin(folder: string, { tasks, claims }: { tasks: number; claims: number }): Promise<Side> {
  mkdirSync(join(folder, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/workflows/wide.yaml"), workflow);
  const server = openServer(program, ["mcp"], folder);
  await server.open();
  await call(server, "workflow_start", { workflow: "wide" });
  const { token } = await call(server, "workflow_set_tasks", { loop_id: "work", tasks: tasksOf(tasks) });
  for (let n = 1; n < claims; n++) await call(server, "workflow_status", { task: `t${n}` });
  return { server, tasks, claims, token: token ?? "" };
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
    reply = await call(server, "workflow_set_tasks", { loop_id: "work", tasks: tasksOf(side.tasks) });
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
