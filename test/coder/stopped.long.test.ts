import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createKilledStory, expectWhole, type Moment, type Runner, repeated } from "./killed.ts";
import type { ModelAnswer } from "./model/answer.ts";

/** What the model does at the moment when somebody presses Ctrl-C, and what must be there before that is done. */
interface Phase {
  readonly at: Moment;
  readonly answer: ModelAnswer | null;
  /** A file of the project that holds back what runs. */
  readonly hold?: string;
  /** A file that what runs has left. */
  readonly mark?: string;
  /** How often the model is asked, and not answered, because of it. */
  readonly asked: 0 | 1;
}

const written: ModelAnswer = { text: "I will write the file that greets people by name." };
const phases: readonly [name: string, phase: Phase][] = [
  ["before the first word of a reply", { at: { state: "CODING", index: 1 }, answer: { broken: "hang" }, asked: 1 }],
  [
    "in the middle of a reply",
    { at: { state: "CODING", index: 1 }, answer: { broken: "hang", after: written }, asked: 1 },
  ],
  [
    "while a tool runs",
    { at: { state: "CODING", index: 0 }, answer: null, hold: "hold-CODING", mark: "running-CODING", asked: 0 },
  ],
  [
    "while a gate runs",
    { at: { state: "TESTING", index: 1 }, answer: null, hold: "hold-gate", mark: "gate", asked: 0 },
  ],
  ["while it waits to try again", { at: { state: "CODING", index: 1 }, answer: { error: "overloaded" }, asked: 1 }],
  [
    "while it is parked until a limit ends",
    { at: { state: "CODING", index: 1 }, answer: { error: "rate-limit", retryAfter: 600 }, asked: 1 },
  ],
];

test.each(phases)("Ctrl-C %s ends it with how to go on, and nothing is lost or done twice", async (_name, phase) => {
  const { at, answer, hold, mark } = phase;
  const stop: { runner: Runner | null; isPressed: boolean } = { runner: null, isPressed: false };
  const story = await createKilledStory(({ state, index }) => {
    if (stop.isPressed || state !== at.state || index !== at.index) return null;
    stop.isPressed = true;
    const { root } = story.project;
    if (hold !== undefined) writeFileSync(join(root, hold), "");
    const begun = mark === undefined ? pause(300) : appears(join(root, mark));
    void begun
      .then(() => stop.runner?.interrupt())
      .then(() => stop.runner?.end)
      .then(() => rmSync(join(root, hold ?? "hold"), { force: true }));
    return answer;
  });
  const ends: { code: number | null; stderr: string }[] = [];
  await story.goOn((runner) => {
    stop.runner = runner;
    void runner.end.then((end) => ends.push(end));
  });
  expect(stop.isPressed).toBe(true);
  expect(ends.filter(({ code }) => code === 130)).toEqual([
    expect.objectContaining({ stderr: expect.stringContaining("--resume") }),
  ]);
  expectWhole(story, story.project.root);
  expect(repeated(story)).toBe(phase.asked);
});

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await pause(10);
}
