import { describe, expect, it } from "vitest";
import { createFace, type Face, makeWorld, type World } from "../world.ts";

const yaml = "steps:\n  - { id: plan, type: action, instructions: Plan it, budget: { minutes: 5 } }";

/** A run whose agent asks what to do after its budget is spent, while somebody else does something in the meantime. */
async function askedWhile(act: (person: Face, world: World, runId: string) => Promise<unknown>) {
  const world = makeWorld({ git: false });
  world.workflow("own", yaml);
  const agent = world.agent("one");
  const { runId } = await agent.ok("start", { workflow: "own" });
  await agent.ok("next", { run: runId });
  world.pass(6);
  const { journal } = agent.deps;
  let isFirst = true;
  const append: typeof journal.append = async (...given) => {
    if (isFirst) {
      isFirst = false;
      await act(world.person(), world, runId);
    }
    return journal.append(...given);
  };
  const racing = createFace({ ...agent.deps, journal: { ...journal, append } });
  return { outcome: await racing.ask("next", { run: runId }), agent, runId };
}

describe("an agent asks what to do when the budget of its visit is spent, and at the same moment", () => {
  it("a person adopts another edition of the workflow: no instructions of the old one are handed out", async () => {
    const { outcome, agent, runId } = await askedWhile(async (person, world, run) => {
      world.workflow("own", yaml.replace("Plan it", "Plan it well"));
      await person.ok("adopt", { run });
    });
    expect(outcome).toMatchObject({ ok: false, refusal: { code: "template-changed" } });
    expect(await agent.ok("next", { run: runId })).toMatchObject({ status: "review" });
  });

  it("a person goes back: the new visit is handed out, which has its whole budget", async () => {
    const { outcome } = await askedWhile((person, _world, run) =>
      person.ok("goto", { run, step: "plan", reason: "Again" }),
    );
    expect(outcome).toMatchObject({ ok: true, value: { status: "running", token: "plan#2" } });
  });

  it("a person ends the run: the agent is told so", async () => {
    const { outcome } = await askedWhile((person, _world, run) => person.ok("abort", { run }));
    expect(outcome).toMatchObject({ ok: false, refusal: { code: "run-ended" } });
  });
});

it("a review that is due is opened with the visit that another session takes over", async () => {
  const world = makeWorld({ git: false });
  world.workflow("own", yaml);
  const { runId } = await world.agent("one").ok("start", { workflow: "own" });
  await world.agent("one").ok("next", { run: runId });
  world.pass(6);
  expect(await world.agent("two").ok("next", { run: runId })).toMatchObject({ status: "review" });
  const types = (await world.agent().events(runId)).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(["review-opened", "visit-taken"]));
});
