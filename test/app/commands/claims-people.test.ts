import { describe, expect, test } from "vitest";
import { printDecision, printOverview, printWhere } from "../../../src/cli/print/print-status.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import type { World } from "../world.ts";
import { atLoop, boatLaw } from "./parallel-loop.ts";

const paint = createPaint({ colours: false, columns: null });

/** The agent `two` works on b while a waits for a decision, because it has failed. */
async function atFailure() {
  const at = await atLoop(boatLaw.replace('title}" }', 'title}", max_retries: 0 }'));
  await at.world.agent("two").ok("next");
  await at.one.ok("advance", { output: "it sank", failed: true });
  return at;
}

/** The agent `two` works on b while a waits for a decision about its budget. */
async function atReview() {
  const at = await atLoop(boatLaw.replace('title}" }', 'title}", budget: { minutes: 5 } }'));
  at.world.pass(10);
  await at.one.no("advance", { output: "late" });
  await at.world.agent("two").ok("next");
  return at;
}

test("a person who works on none of several tasks sees what the only one that waits has submitted", async () => {
  const { world, one } = await atLoop();
  const two = world.agent("two");
  await two.ok("next");
  const seen = async (at?: number) => (await world.person().ok("overview", { at })).submission;
  await one.ok("advance", { output: "built" });
  expect(await seen()).toBeNull();
  await one.no("advance", { output: "the KEEL is straight" });
  expect(await seen()).toEqual({ submitted: "the KEEL is straight" });
  expect(await seen((await one.events()).length), "of the past only the state is known").toBeNull();
  await two.ok("advance", { output: "built" });
  await two.no("advance", { output: "the MAST stands" });
  expect(await seen()).toBeNull();
});

describe("what closes tasks that agents work on names them:", () => {
  const closed = /closed .*"b".*agents/;

  test("a goto", async () => {
    const { world } = await atLoop();
    await world.agent("two").ok("next");
    const reply = await world.person().ok("goto", { step: "ship", reason: "enough" });
    expect(reply).toMatchObject({ step: "ship", warning: expect.stringMatching(/closed .*"a".*"b"/) });
    expect(printWhere(reply, paint)).toContain("warning: ");
    expect(JSON.stringify(reply)).not.toContain('"c\\"');
  });

  test.each(["go_to", "abandon"] as const)("%s after a failure", async (verdict) => {
    const { world } = await atFailure();
    const step = verdict === "go_to" ? { step: "ship" } : {};
    const reply = await world.person().ok("decide", { verdict, ...step });
    expect(reply).toMatchObject({ warning: expect.stringMatching(closed) });
    expect(reply).not.toMatchObject({ warning: expect.stringMatching(/"a"/) });
  });

  test("a pivot after a spent budget", async () => {
    const { world } = await atReview();
    const reply = await world.person().ok("decide", { verdict: "pivot" });
    expect(reply).toMatchObject({ warning: expect.stringMatching(closed) });
    expect(reply).not.toMatchObject({ warning: expect.stringMatching(/"a"/) });
  });

  test.each(["retry", "skip"] as const)("%s closes none, and warns of none", async (verdict) => {
    const { world } = await atFailure();
    expect(await world.person().ok("decide", { verdict })).not.toHaveProperty("warning");
  });

  const listOf = async (world: World) => printDecision(await world.person().ok("decide"), paint);

  test("the list of what is to be decided says beforehand which decisions do that", async () => {
    const { world } = await atFailure();
    expect(await world.person().ok("decide")).toMatchObject({ pending: [{ task: "a", closes: ["b"] }] });
    expect(await listOf(world)).toMatch(/go_to and abandon also close "b"/);
    expect(await listOf((await atReview()).world)).toMatch(/pivot and abandon also close "b"/);
  });

  test("also a task that waits for an approval, with what was submitted for it", async () => {
    const { world } = await atFailure();
    const two = world.agent("two");
    await two.ok("advance", { output: "built" });
    await two.no("advance", { output: "look" });
    expect(await world.person().ok("decide")).toMatchObject({ pending: [{ task: "a", closes: ["b"] }] });
    expect(await world.person().ok("goto", { step: "ship", reason: "x" })).toMatchObject({
      warning: expect.stringMatching(closed),
    });
  });

  test("where nobody works on another task, it names none", async () => {
    const { world } = await atFailure();
    await world.person().ok("release", { task: "b" });
    expect(await listOf(world)).not.toMatch(/also close/);
    expect(await world.person().ok("decide", { verdict: "go_to", step: "ship" })).not.toHaveProperty("warning");
  });
});

describe("a person names a task, not a token:", () => {
  /** a and b wait for an approval, of two agents. */
  async function atApprovals() {
    const at = await atLoop();
    const two = at.world.agent("two");
    await two.ok("next");
    for (const [agent, token] of [[at.one, "a"] as const, [two, "b"] as const]) {
      await agent.ok("advance", { output: `built ${token}` });
    }
    const refused = await at.one.no("advance", { output: "look" });
    await two.no("advance", { output: "look" });
    return { ...at, refused };
  }
  const named = "name one with --task: a, b";

  test("an approval, a rejection or a release that could mean several", async () => {
    const { world } = await atApprovals();
    const person = world.person();
    for (const refused of [await person.no("approve"), await person.no("reject", { reason: "no" })]) {
      expect(wordRefusal(refused).next).toBe(named);
    }
    expect(wordRefusal(await person.no("release")).next).toBe(named);
  });

  test("a decision that could mean several", async () => {
    const { world } = await atFailure();
    await world.agent("two").ok("advance", { output: "it sank, too", failed: true });
    expect(wordRefusal(await world.person().no("decide", { verdict: "retry" })).next).toBe(named);
  });

  test("the list of what is to be decided shows the command for each", async () => {
    const { world } = await atFailure();
    await world.agent("two").ok("advance", { output: "it sank, too", failed: true });
    expect(printDecision(await world.person().ok("decide"), paint)).toMatch(
      /decide <.*> --task a --run .*decide <.*> --task b --run/s,
    );
  });

  test("the agent that needs an approval tells them so", async () => {
    const { refused } = await atApprovals();
    expect(wordRefusal(refused, "cli").next).toMatch(/`holdfast approve --task a` \(or `holdfast reject --task a /);
    expect(wordRefusal(refused, "mcp").next).toMatch(/`holdfast approve --task a` \(or `holdfast reject --task a /);
  });

  test("and so does one that needs a decision about a failure or a budget", async () => {
    const failed = await (await atFailure()).one.no("advance", { output: "again", token: "build/a/implement#1~2@1" });
    expect(failed).toMatchObject({ code: "decision-needed" });
    expect(wordRefusal(failed, "cli").next).toMatch(/`holdfast decide --task a` with retry/);
    expect(wordRefusal(failed, "mcp").next).toMatch(/`holdfast decide retry --task a`/);
    const spent = await (await atReview()).one.no("advance", { output: "again" });
    expect(wordRefusal(spent).next).toMatch(/`holdfast decide --task a` with continue/);
  });

  test("the instructions of a task that waits for a decision, too", async () => {
    const { one } = await atFailure();
    expect(await one.ok("next")).toMatchObject({ instructions: expect.stringMatching(/`holdfast decide --task a`/) });
  });
});

test("a task that somebody else has: since when, and how a person frees it", async () => {
  const { world } = await atLoop();
  const { message, next } = wordRefusal(await world.agent("two").no("next", { task: "a" }));
  expect(message).toBe('the task "a" is taken by session one since 2026-01-31 00:00 UTC');
  expect(next).toMatch(/ask a person to run `holdfast release a`$/);
});

describe("the status of a loop that several agents work on", () => {
  const show = async (world: World) => printOverview(await world.person().ok("overview"), paint);
  const law = boatLaw.replace('title}" }', 'title}", on_fail: skip }').replace("parallel: 3", "parallel: 2");

  test("shows which tasks have failed and which were skipped, and counts those that are done", async () => {
    const { world, one } = await atLoop(law);
    const tasks = [
      ...["a", "b", "c"].map((id) => ({ id, title: id })),
      ...["d", "e"].map((id) => ({ id, title: id, depends_on: ["a"] })),
    ];
    await one.ok("tasks", {
      loop: "build",
      tasks: tasks.map((task) => (task.id === "a" ? { ...task, title: "the KEEL" } : task)),
    });
    await one.ok("advance", { output: "sunk", failed: true });
    const shown = await show(world);
    expect(shown).toMatch(/● build 0\/5/);
    expect(shown).toMatch(/build · 0 of 5 tasks done, 2 open/);
    expect(shown).toMatch(/^ *failed: a$/m);
    expect(shown).toMatch(/^ *skipped: d, e$/m);
  });

  test("promises a free task only while there is one", async () => {
    const { world } = await atLoop();
    expect(await show(world)).toMatch(/Next: .*gets one that is free\./);
    for (const session of ["two", "three"]) await world.agent(session).ok("next");
    expect(await show(world)).toMatch(/Next: the agents work on these tasks\.$/m);
  });

  test("warns of one worktree for several only while they work", async () => {
    const { world, one } = await atLoop();
    await one.ok("advance", { output: "built" });
    await world.agent("two").ok("next");
    expect(await show(world)).toMatch(/a, b are worked on in the main worktree|b, a are worked on/);
    await one.no("advance", { output: "look" });
    expect(await show(world)).not.toMatch(/are worked on in/);
  });
});
