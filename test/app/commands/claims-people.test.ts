import { describe, expect, test } from "vitest";
import { printDecision, printWhere } from "../../../src/cli/print/print-status.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
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

  test("where nobody works on another task, it names none", async () => {
    const { world } = await atFailure();
    await world.person().ok("release", { task: "b" });
    expect(await listOf(world)).not.toMatch(/also close/);
    expect(await world.person().ok("decide", { verdict: "go_to", step: "ship" })).not.toHaveProperty("warning");
  });
});
