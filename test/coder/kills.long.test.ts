import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { counted, seed, times } from "../dose.ts";
import {
  createKilledStory,
  expectWhole,
  type KilledStory,
  killedAtWrite,
  lastWords,
  type Moment,
  type Runner,
  repeated,
  states,
  wholeLines,
} from "./killed.ts";
import type { ModelAnswer } from "./model/answer.ts";

/** What a test does at the moments of a story; it can kill the program once. */
type AtMoment = (moment: Moment, scene: { kill(): void; root: string }) => ModelAnswer | null;

/** Runs a story to its end, with one kill. */
async function killOnce(atMoment: AtMoment): Promise<KilledStory> {
  let isKilled = false;
  let runner: Runner | null = null;
  const kill = () => {
    isKilled = true;
    runner?.kill();
  };
  const story: KilledStory = await createKilledStory((moment) =>
    isKilled ? null : atMoment(moment, { kill, root: story.project.root }),
  );
  await story.goOn((begun) => {
    runner = begun;
  });
  expect(isKilled).toBe(true);
  expectWhole(story, story.project.root);
  return story;
}

/** Holds what leaves `mark` when it begins, kills the program meanwhile, and lets go. */
function killWhileHeld(root: string, { hold, mark }: { hold: string; mark: string }, kill: () => void): void {
  const held = join(root, hold);
  const marked = join(root, mark);
  void appears(marked).then(() => {
    kill();
    rmSync(held);
  });
}

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await pause(10);
}

describe.each(states)("killed in %s", (state) => {
  test("while the model is asked, it is asked the same again", async () => {
    const story = await killOnce(({ state: now, index }, { kill }) => {
      if (now === state && index === 1) kill();
      return null;
    });
    expect(repeated(story)).toBeGreaterThanOrEqual(1);
  });

  test("while a tool runs, the model is told, and the tool does not run again", async () => {
    const story = await killOnce(({ state: now, index }, { kill, root }) => {
      if (now !== state || index !== 0) return null;
      writeFileSync(join(root, `hold-${state}`), "");
      killWhileHeld(root, { hold: `hold-${state}`, mark: `running-${state}` }, kill);
      return null;
    });
    const results = story.project.model.requests.flatMap(({ messages }) => messages.flatMap((one) => one.results));
    expect(new Set(results.filter(({ text }) => text.startsWith("Interrupted")).map(({ id }) => id)).size).toBe(1);
  });
});

test.each(states)(
  "killed after the reply that ends %s is on disk, it counts and is not asked for again",
  async (state) => {
    const text = lastWords[state];
    const story = await createKilledStory();
    await story.goOn(
      () => {},
      () => (wholeLines(story).includes(text) ? {} : killedAtWrite(story.project, { at: 1, when: "after", text })),
    );
    expectWhole(story, story.project.root);
    expect(repeated(story)).toBe(0);
    expect(JSON.stringify(story.project.model.requests)).not.toContain("Interrupted");
  },
);

test("killed while the gate runs, the result is not asked for again", async () => {
  const story = await killOnce(({ state, index }, { kill, root }) => {
    if (state !== "TESTING" || index !== 1) return null;
    writeFileSync(join(root, "hold-gate"), "");
    killWhileHeld(root, { hold: "hold-gate", mark: "gate" }, kill);
    return null;
  });
  expect(repeated(story)).toBe(0);
  expect(story.project.read("gates.log")).toBe("gate\ngate\n");
});

test("killed while it waits for a provider that is overloaded, it asks the same again", async () => {
  const story = await killOnce(({ state, index }, { kill }) => {
    if (state !== "CODING" || index !== 1) return null;
    setImmediate(kill);
    return { error: "overloaded" };
  });
  expect(repeated(story)).toBe(1);
});

test("killed while it is parked until a limit ends, it asks the same again", async () => {
  const story = await killOnce(({ state, index }, { kill, root }) => {
    if (state !== "CODING" || index !== 1) return null;
    void isParked(root).then(kill);
    return { error: "rate-limit", retryAfter: 600 };
  });
  expect(repeated(story)).toBe(1);
});

async function isParked(root: string): Promise<void> {
  const runs = join(root, ".holdfast/runs");
  const journal = join(runs, readdirSync(runs)[0] ?? "", "journal.jsonl");
  while (!readFileSync(journal, "utf8").includes('"run-parked"')) await pause(10);
}

const kills = times({ quick: 4, long: 5, soak: 200 });

test(`killed at ${kills} of its writes, before, in the middle of or after each, nothing is lost that was on disk`, async () => {
  const random = numbersFrom(seed);
  for (let killed = 0; killed < kills; ) {
    const story = await createKilledStory();
    let [onDisk, where] = ["", ""];
    await story.goOn(
      () => {},
      () => {
        if (onDisk !== "") expect(wholeLines(story).startsWith(onDisk), where).toBe(true);
        onDisk = wholeLines(story);
        if (killed >= kills) return {};
        const at = 1 + Math.floor(random() * 40);
        const when = (["before", "half", "after"] as const)[Math.floor(random() * 3)] ?? "half";
        where = `HOLDFAST_SEED=${seed} write ${at}, ${when}: ${story.project.root}`;
        killed += counted(1, "kills of the coder");
        return killedAtWrite(story.project, { at, when });
      },
    );
    expectWhole(story, where);
  }
});

test(`killed at ${kills} random moments, it comes to its end`, async () => {
  const random = numbersFrom(seed);
  for (let killed = 0; killed < kills; ) {
    const story = await createKilledStory();
    await story.goOn((runner) => {
      if (killed >= kills) return;
      const timer = setTimeout(
        () => {
          killed += counted(1, "kills of the coder");
          runner.kill();
        },
        500 + random() * 2_500,
      );
      void runner.end.then(() => clearTimeout(timer));
    });
    expectWhole(story, `HOLDFAST_SEED=${seed} ${story.project.root}`);
  }
});

/** Numbers that look random, always the same for a seed. */
function numbersFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
