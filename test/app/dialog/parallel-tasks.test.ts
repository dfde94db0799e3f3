import { describe, expect, test } from "vitest";
import { settleInDialog } from "../../../src/app/dialog/settle-in-dialog.ts";
import type { Dialog } from "../../../src/operation/dialog.ts";
import type { Outcome } from "../../../src/operation/operation.ts";
import { atLoop, boatLaw } from "../commands/parallel-loop.ts";
import { type Face, makeWorld } from "../world.ts";

type Perform = () => Promise<Outcome<object>>;

/** A call of the agent whose program can ask the person; `answered` is what they have filled in. */
function settle({ deps }: Face, operation: string, perform: Perform, answered: Dialog["answered"] = null) {
  const dialog: Dialog = { answered, declined: new Set(), counts: () => true };
  return settleInDialog({ ...deps, caller: { ...deps.caller, dialog } }, { operation, run: undefined, perform });
}

async function formFor(face: Face, operation: string, perform: Perform) {
  const settled = await settle(face, operation, perform);
  if (settled.type !== "asked") throw new Error(`not asked: ${JSON.stringify(settled)}`);
  return settled.form;
}

/** The agent `one` works on a and b, and is to verify both. */
async function atTwo() {
  const at = await atLoop();
  const { one } = at;
  await one.ok("next", { task: "b" });
  for (const token of ["build/a/implement#1@1", "build/b/implement#1@2"]) {
    await one.ok("advance", { output: "built", token });
  }
  return at;
}
const verify = { a: "build/a/verify#1@1", b: "build/b/verify#1@2" };
const submit = (face: Face, token: string) => () => face.ask("advance", { output: `look at ${token}`, token });

describe("a dialog about one of several tasks", () => {
  test("is about the task of the call, and names it", async () => {
    const { one } = await atTwo();
    await submit(one, verify.a)();
    const { message } = await formFor(one, "advance", submit(one, verify.b));
    expect(message).toMatch(/step build, task b "the MAST": the agent asks for your approval/);
    expect(message).toMatch(/look at build\/b/);
  });

  test("records the answer for that task, which then goes on", async () => {
    const { world, one } = await atTwo();
    await submit(one, verify.a)();
    const { name: form } = await formFor(one, "advance", submit(one, verify.b));
    const answer = { type: "answered", values: { decision: "reject", reason: "Too SHORT" } } as const;
    const settled = await settle(one, "status", submit(one, verify.b), { form, answer });
    expect(settled).toMatchObject({
      outcome: { value: { token: verify.b, instructions: expect.stringMatching(/Too SHORT/) } },
    });
    expect(await world.person().ok("status")).toMatchObject({
      openTasks: expect.arrayContaining([expect.objectContaining({ id: "a", waitsFor: "approval" })]),
    });
  });

  test("shows the outcome that is to be approved, and answers no newer question", async () => {
    const world = makeWorld({ git: false });
    const review = "gate: [{ approval: human }], outcomes: { fine: ship, poor: ship }";
    world.workflow(
      "law",
      `steps: [{ id: review, type: action, instructions: Review, ${review} }, { id: ship, type: action, instructions: Ship }]`,
    );
    const agent = world.agent("one");
    await agent.ok("start", { workflow: "law" });
    const advance = (outcome: string) => () => agent.ask("advance", { output: "see above", outcome });
    const { name: form, message } = await formFor(agent, "advance", advance("poor"));
    expect(message).toContain('It submits, with the outcome "poor":\n> see above');
    await world.person().ok("approve");
    await advance("fine")();
    const answer = { type: "answered", values: { decision: "approve" } } as const;
    await settle(agent, "status", () => agent.ask("status", {}), { form, answer });
    expect(await agent.ok("status")).toMatchObject({ status: "waiting", step: "review" });
  });

  test("says which tasks a decision would close", async () => {
    const { world, one } = await atLoop(boatLaw.replace('title}" }', 'title}", max_retries: 0 }'));
    await world.agent("two").ok("next");
    const { message } = await formFor(one, "advance", () => one.ask("advance", { output: "it sank", failed: true }));
    expect(message).toMatch(/task a "the KEEL": it failed/);
    expect(message).toMatch(/go_to and abandon also close "b", which agents have claimed\./);
  });
});
