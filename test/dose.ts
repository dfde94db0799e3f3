import { TestRunner } from "vitest";

/**
 * How much of a test that can be repeated at will is done: `npm test` is quick and the same every time, `npm run test:long`
 * does more with new numbers each time, and `npm run soak` as much as a release is worth.
 */
export interface Dose {
  readonly quick: number;
  readonly long: number;
  readonly soak: number;
}

declare module "@vitest/runner" {
  interface TaskMeta {
    /** How often the test did it, for the table of the soak. */
    count?: number;
    /** Tests with the same text here share a row. */
    row?: string;
  }
}

const tier = readTier(process.env.HOLDFAST_TEST_TIER);
const given = process.env.HOLDFAST_SEED;

/** Where chance begins. A test that uses it names it when it fails: `HOLDFAST_SEED=<seed>` repeats that run. */
export const seed: number = given === undefined ? chanceOf(1) : Number(given);

/** How often, in this tier. For titles and loops; a test that repeats says so with `counted`, too. */
export function times(dose: Dose): number {
  return dose[tier];
}

/** Notes for the table how often the running test does what it does, in a row of its own or in one with others. */
export function counted(count: number, row?: string): number {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) Object.assign(test.meta, { count: (test.meta.count ?? 0) + count, row });
  return count;
}

/** What fast-check is told: how many cases, and which ones where they must be the same every time. */
export function cases(dose: Dose, quickSeed = 1): Cases {
  const chance = given === undefined ? chanceOf(quickSeed) : Number(given);
  return { numRuns: counted(times(dose)), seed: chance, ...(tier !== "soak" && { interruptAfterTimeLimit: patience }) };
}

interface Cases {
  readonly numRuns: number;
  readonly seed: number;
  readonly interruptAfterTimeLimit?: number;
}

/** In milliseconds. The search for the smallest counterexample could take hours, in which nobody hears that there is one. */
const patience = 100_000;

function chanceOf(quickSeed: number): number {
  return tier === "quick" ? quickSeed : Math.floor(Math.random() * 2 ** 31);
}

function readTier(name = "quick"): keyof Dose {
  if (name === "quick" || name === "long" || name === "soak") return name;
  throw new Error(`HOLDFAST_TEST_TIER is quick, long or soak, not ${name}`);
}
