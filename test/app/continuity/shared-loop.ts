import { changeRun } from "../../../src/app/runs/change-run.ts";
import { readFrozen } from "../../../src/app/workflows/frozen-template.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { makeWorld, type World } from "../world.ts";
import { createHosts, type HostProcess } from "./hook-ports.ts";

/** A loop that several agents work on, and what they have to do for each of its tasks. */
export const sharedLoop = `
hold: true
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}: {task.description}" }
    - { id: verify, instructions: "Verify {task.title}", gate: [{ approval: human }] }
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: loop, parallel: 3 }
  - { id: ship, type: action, instructions: "Ship it" }
`;

export interface SharedRun {
  readonly world: World;
  readonly host: HostProcess;
  readonly runId: string;
  /** Gives a task to a session: the one that is named, else the next free one. */
  claim(session: string, task?: string): Promise<void>;
  advance(session: string, task: string, output: string): Promise<void>;
  token(task: string): Promise<string>;
  events(type: string): Promise<readonly unknown[]>;
}

/** The session `one` has set the tasks t1 to t5, and has the first of them. */
export async function startShared(yaml = sharedLoop): Promise<SharedRun> {
  const world = makeWorld();
  world.workflow("shared", yaml);
  const one = world.agent("one");
  const { runId } = await one.ok("start", { workflow: "shared" });
  await one.ok("advance", { output: "The plan" });
  const tasks = [1, 2, 3, 4, 5].map((number) => {
    return { id: `t${number}`, title: `Title ${number}`, description: `Description ${number}` };
  });
  await one.ok("tasks", { loop: "build", tasks });
  const host = createHosts(world)();
  await host.start("one", "startup");
  const load = async () => {
    const standing = await world.person().deps.journal.load(runId);
    if (standing === null || !isLive(standing.run)) throw new Error("the run is over");
    return { ...standing, run: standing.run };
  };
  const token = async (task: string) => {
    const { visits } = (await load()).run;
    const visit = visits.find(({ place }) => place.type === "sub-step" && place.task === task);
    if (visit === undefined) throw new Error(`${task} is not open`);
    return visit.token;
  };
  return {
    world,
    host,
    runId,
    token,
    async claim(session, task) {
      const { deps } = world.agent(session);
      const standing = await load();
      const { template } = await readFrozen(deps, standing.run);
      const command = { type: "claim", session, task, expired: [] } as const;
      const outcome = await changeRun(deps, standing, template, { command });
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    },
    async advance(session, task, output) {
      await world.agent(session).ask("advance", { output, token: await token(task) });
    },
    events: async (type) => (await world.person().events(runId)).filter((event) => event.type === type),
  };
}
