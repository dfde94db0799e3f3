import assert from "node:assert/strict";
import { isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import { readAll, type Store } from "./store.ts";

export interface ConformanceCase {
  readonly name: string;
  check(store: Store): Promise<void>;
}

const at = "2026-01-01T00:00:00.000Z";
const a = "first-20260101_000000-aaaa";
const b = "second-20260101_000000-bbbb";

function noted(seq: number, summary: string): RunEvent {
  return { seq, at, type: "summary-set", summary };
}

async function contents(store: Store, run: string, version = 1): Promise<unknown[]> {
  return (await readAll(store.read(run, { version }))).map((commit) => [commit.version, commit.events]);
}

function conflicts(promise: Promise<unknown>): Promise<void> {
  return assert.rejects(promise, (error) => isHoldfastError(error, "version-conflict"));
}

/**
 * The promises of every store, as data: any test runner can run them, and the suite itself is tested against stores
 * that are wrong on purpose.
 */
export const storeConformance: readonly ConformanceCase[] = [
  {
    name: "a run never written reads as empty",
    async check(store) {
      assert.deepEqual(await contents(store, a), []);
    },
  },
  {
    name: "commits come back in order, with their versions",
    async check(store) {
      await store.append(a, 0, [noted(1, "one")]);
      await store.append(a, 1, [noted(2, "two"), noted(3, "three")]);
      assert.deepEqual(await contents(store, a), [
        [1, [noted(1, "one")]],
        [2, [noted(2, "two"), noted(3, "three")]],
      ]);
    },
  },
  {
    name: "an append answers with the commit that reading finds",
    async check(store) {
      const first = await store.append(a, 0, [noted(1, "one")]);
      const second = await store.append(a, 1, [noted(2, "two")]);
      assert.deepEqual(await readAll(store.read(a)), [first, second]);
    },
  },
  {
    name: "reading begins where it is told to, with a hint, without one, and with a wrong one",
    async check(store) {
      for (let n = 0; n < 5; n++) await store.append(a, n, [noted(n + 1, `n${n}`)]);
      const all = await readAll(store.read(a));
      const third = all[2];
      assert.deepEqual(await readAll(store.read(a, { version: 3 })), all.slice(2));
      assert.deepEqual(await readAll(store.read(a, { version: 3, place: third?.place })), all.slice(2));
      assert.deepEqual(await readAll(store.read(a, { version: 3, place: 7 })), all.slice(2));
      assert.deepEqual(await readAll(store.read(a, { version: 6 })), []);
    },
  },
  {
    name: "a stale version is refused and leaves no trace",
    async check(store) {
      await store.append(a, 0, [noted(1, "one")]);
      await conflicts(store.append(a, 0, [noted(1, "lost")]));
      assert.deepEqual(await contents(store, a), [[1, [noted(1, "one")]]]);
    },
  },
  {
    name: "a version from the future is refused",
    async check(store) {
      await conflicts(store.append(a, 5, [noted(1, "one")]));
      assert.deepEqual(await contents(store, a), []);
    },
  },
  {
    name: "an append finds what it builds on, with a hint and with a wrong one",
    async check(store) {
      const first = await store.append(a, 0, [noted(1, "one")]);
      const second = await store.append(a, 1, [noted(2, "two")], first);
      const third = await store.append(a, 2, [noted(3, "three")], { id: second.id, place: 7 });
      assert.deepEqual(await readAll(store.read(a)), [first, second, third]);
    },
  },
  {
    name: "an append that was decided on another commit of its version is refused and leaves no trace",
    async check(store) {
      const first = await store.append(a, 0, [noted(1, "one")]);
      const other = await store.append(b, 0, [noted(1, "one")]);
      await conflicts(store.append(a, 1, [noted(2, "two")], { id: other.id, place: first.place }));
      assert.deepEqual(await readAll(store.read(a)), [first]);
    },
  },
  {
    name: "whether a run is still where it was is told at once, and never of a commit that is not its last",
    async check(store) {
      const first = await store.append(a, 0, [noted(1, "one")]);
      assert.equal(await store.isStillAt(a, first), true);
      const second = await store.append(a, 1, [noted(2, "two")]);
      assert.equal(await store.isStillAt(a, first), false);
      assert.equal(await store.isStillAt(a, second), true);
      assert.equal(await store.isStillAt(a, { version: 2, id: first.id }), false);
      assert.equal(await store.isStillAt(a, { version: 3, id: second.id }), false);
      assert.equal(await store.isStillAt(b, first), false);
      await readAll(store.read(a));
      assert.equal(await store.isStillAt(a, second), true);
    },
  },
  {
    name: "of many writers racing for one version, exactly one wins",
    async check(store) {
      const race = Array.from({ length: 8 }, (_, n) => store.append(a, 0, [noted(1, `writer-${n}`)]));
      const won = (await Promise.allSettled(race)).filter((result) => result.status === "fulfilled");
      assert.equal(won.length, 1);
      assert.equal((await contents(store, a)).length, 1);
    },
  },
  {
    name: "what was written cannot be changed from outside",
    async check(store) {
      const events = [noted(1, "one")];
      await store.append(a, 0, events);
      events.push(noted(2, "smuggled"));
      assert.deepEqual(await contents(store, a), [[1, [noted(1, "one")]]]);
    },
  },
  {
    name: "two commits never share an id",
    async check(store) {
      await store.append(a, 0, [noted(1, "same")]);
      await store.append(a, 1, [noted(1, "same")]);
      await store.append(b, 0, [noted(1, "same")]);
      const ids = [...(await readAll(store.read(a))), ...(await readAll(store.read(b)))].map((commit) => commit.id);
      assert.equal(new Set(ids).size, 3);
    },
  },
  {
    name: "text survives as it was: other scripts, quotes, line ends, lone surrogates apart",
    async check(store) {
      const text = 'é 日本語 🚀 "quoted" \\ back\nline\r\nend \u2028 \u0000 {"format":1,"version":9,';
      await store.append(a, 0, [noted(1, text)]);
      assert.deepEqual(await contents(store, a), [[1, [noted(1, text)]]]);
    },
  },
  {
    name: "runs are listed once each, by id, and do not leak into one another",
    async check(store) {
      await store.append(b, 0, [noted(1, "one")]);
      await store.append(a, 0, [noted(1, "one")]);
      await store.append(a, 1, [noted(2, "two")]);
      assert.deepEqual(await store.list(), [a, b]);
      assert.equal((await contents(store, b)).length, 1);
    },
  },
];
