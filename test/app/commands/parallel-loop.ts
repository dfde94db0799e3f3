import { type Face, makeWorld, type World } from "../world.ts";

/** Three tasks of the loop are open at a time, and a person approves each. */
export const boatLaw = `
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}" }
    - { id: verify, instructions: "Verify {task.title}", gate: [{ approval: human }] }
steps:
  - { id: build, type: loop, parallel: 3 }
  - { id: ship, type: action, instructions: Ship the BOAT }
`;

const titles = { a: "the KEEL", b: "the MAST", c: "the SAIL", d: "the OARS" };
export const boatTasks = Object.entries(titles).map(([id, title]) => ({ id, title }));

/** A run whose loop has four tasks, three of them open; the agent `one` has the first. */
export async function atLoop(law = boatLaw): Promise<{ world: World; one: Face; runId: string }> {
  const world = makeWorld();
  world.workflow("boat", law);
  await world.person().ok("trust", { workflow: "boat" });
  const one = world.agent("one");
  const { runId } = await one.ok("start", { workflow: "boat" });
  await one.ok("tasks", { loop: "build", tasks: boatTasks });
  return { world, one, runId };
}
