import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { counted, seed, times } from "../dose.ts";
import { addWorkflow, type Json, type ServerProcess, serve } from "./serve.ts";

const processes = 16;
const tasks = times({ quick: 40, long: 150, soak: 500 });
/** After three losses a task waits for a person. */
const mostKills = 2;
const leaseSeconds = "2";

const workflow = `
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}" }
    - { id: verify, instructions: Verify }
steps:
  - { id: build, type: loop, parallel: ${processes} }
`;

/** What the workers share: chance, and how often each task was lost by a kill. */
interface Crew {
  readonly project: Project;
  random(): number;
  readonly kills: Map<string, number>;
  started: number;
}

test(`${processes} servers that are killed at random end each of ${tasks} tasks exactly once`, async () => {
  const project = createProject();
  addWorkflow(project, "work", workflow);
  const crew: Crew = { project, random: numbersFrom(seed), kills: new Map(), started: 0 };
  const first = await join(crew);
  await first.ok("workflow_start", { workflow: "work" });
  const list = Array.from({ length: tasks }, (_, index) => ({ id: `t${index}`, title: `Part ${index}` }));
  await first.ok("workflow_set_tasks", { loop_id: "build", tasks: list });
  await Promise.all(Array.from({ length: processes }, (_, index) => workToTheEnd(crew, index === 0 ? first : null)));

  const killed = [...crew.kills.values()].reduce((sum, count) => sum + count, 0);
  counted(killed, "kills of servers that work on a loop together");
  const { value } = await project.json(["log"]);
  const events: Json[] = value.events;
  const ended = events.filter(({ type }) => type === "task-ended");
  expect({ seed, ended: ended.map(({ task, status }) => `${task} ${status}`).sort() }).toEqual({
    seed,
    ended: list.map(({ id }) => `${id} done`).sort(),
  });
  const keys = events.flatMap(({ type, key }) => (type === "visit-ended" ? [key] : []));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(2 * tasks);
  expectOwnWork(events);
  expect(events.filter(({ type }) => type === "claim-lost").length).toBeGreaterThan(0);
  const left = readdirSync(project.root, { recursive: true, encoding: "utf8" });
  expect(left.filter((path) => /lease-|\.lock|\.tmp$/.test(path))).toEqual([]);
});

/** Whoever ends a visit has its claim. */
function expectOwnWork(events: readonly Json[]): void {
  const holders = new Map<number, string>();
  for (const event of events) {
    if (event.type === "visit-claimed") holders.set(event.claim, event.session);
    if (event.type !== "visit-ended") continue;
    const claim = Number(/@(\d+)$/.exec(event.token)?.[1]);
    expect([event.token, event.session]).toEqual([event.token, holders.get(claim)]);
    expect(event.output).toBe(event.session);
  }
}

/** A new process with a session of its own. */
async function join(crew: Crew): Promise<ServerProcess & { readonly session: string }> {
  crew.started += 1;
  const session = `worker-${crew.started}`;
  const env = { HOLDFAST_SESSION: session, HOLDFAST_LEASE_SECONDS: leaseSeconds };
  return { ...(await serve(crew.project, { env })), session };
}

/** Works until the run is complete. A process that was killed is replaced by another, which knows nothing of its task. */
async function workToTheEnd(crew: Crew, first: Awaited<ReturnType<typeof join>> | null): Promise<void> {
  let server = first ?? (await join(crew));
  while ((await workOn(crew, server)) === "killed") server = await join(crew);
  await server.close();
}

async function workOn(
  crew: Crew,
  server: ServerProcess & { readonly session: string },
): Promise<"killed" | "complete"> {
  for (;;) {
    const { structuredContent: now } = await server.call("workflow_status");
    if (now.status === "complete" || now.error?.code === "run-unknown") return "complete";
    // Everything is taken: by others, or by the dead until their leases have run out.
    if (now.error !== undefined) await pause(100);
    else if ((await advance(crew, server, now.token)) === "killed") return "killed";
  }
}

/** Goes on with one task after the other, for as long as each answer brings the next. */
async function advance(
  crew: Crew,
  server: ServerProcess & { readonly session: string },
  first: string,
): Promise<"killed" | "over"> {
  for (let token = first; ; ) {
    const task = token.split("/")[1] ?? "";
    const sent = { output: server.session, token };
    if (mayKill(crew, task)) {
      server.begin("tools/call", { name: "workflow_advance", arguments: sent });
      await pause(crew.random() * 20);
      server.child.kill("SIGKILL");
      return "killed";
    }
    const { structuredContent: answer } = await server.call("workflow_advance", sent);
    if (answer.error !== undefined || answer.token == null) return "over";
    token = answer.token;
  }
}

function mayKill({ kills, random }: Crew, task: string): boolean {
  const before = kills.get(task) ?? 0;
  // What a process leaves behind is cleared away by those that go on, so the last tasks are left in peace.
  const isLast = Number(task.slice(1)) > tasks - processes - 4;
  if (isLast || before >= mostKills || random() > 0.06) return false;
  kills.set(task, before + 1);
  return true;
}

/** Numbers that look random, always the same for a seed. */
function numbersFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
