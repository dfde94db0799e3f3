import { expect, test } from "vitest";
import { storeConformance } from "../../src/store/conformance.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";

type Log = Map<string, Commit[]>;

/** A store that keeps a list and checks nothing, for liars to build on. */
function careless(log: Log = new Map()): Store {
  return {
    async append(run, expected, events) {
      const commit = { version: expected + 1, id: `${run}:${expected}`, place: expected, events: [...events] };
      log.set(run, [...(log.get(run) ?? []), commit]);
      return commit;
    },
    async *read(run, from = { version: 1 }) {
      yield* (log.get(run) ?? []).slice(from.version - 1);
    },
    async isStillAt(run, { version, id }) {
      const last = log.get(run)?.at(-1);
      return last?.version === version && last.id === id;
    },
    list: async () => [...log.keys()].sort(),
    close: async () => {},
  };
}

/** Stores that are wrong on purpose. A conformance suite that passes one of these proves nothing. */
const liars: Record<string, () => Store> = {
  "accepts stale versions": () => careless(),
  "reads newest first": () => {
    const store = createMemoryStore();
    return {
      ...store,
      async *read(run, from) {
        const all: Commit[] = [];
        for await (const commit of store.read(run, from)) all.unshift(commit);
        yield* all;
      },
    };
  },
  "ignores where reading should begin": () => {
    const store = createMemoryStore();
    return { ...store, read: (run) => store.read(run) };
  },
  "believes a wrong hint": () => {
    const store = createMemoryStore();
    return {
      ...store,
      read: (run, from) => store.read(run, { version: (from?.place ?? (from?.version ?? 1) - 1) + 1 }),
    };
  },
  "does not look at what an append builds on": () => {
    const store = createMemoryStore();
    return { ...store, append: (run, expected, events) => store.append(run, expected, events) };
  },
  "believes a wrong hint when it appends": () => {
    const store = createMemoryStore();
    return {
      ...store,
      append: (run, expected, events, on) => store.append(run, on === undefined ? expected : on.place + 1, events, on),
    };
  },
  "always thinks that nothing has happened": () => ({ ...createMemoryStore(), isStillAt: async () => true }),
  "never knows whether something has happened": () => ({ ...createMemoryStore(), isStillAt: async () => false }),
  "takes the version alone for the commit": () => {
    const store = createMemoryStore();
    const isStillAt: Store["isStillAt"] = async (run, { version }) =>
      (await readAll(store.read(run))).at(-1)?.version === version;
    return { ...store, isStillAt };
  },
  "lists in arrival order": () => {
    const store = createMemoryStore();
    return { ...store, list: async () => [...(await store.list())].reverse() };
  },
  "lists a run once per commit": () => {
    const store = createMemoryStore();
    const names: string[] = [];
    return {
      ...store,
      async append(run, expected, events) {
        const commit = await store.append(run, expected, events);
        names.push(run);
        return commit;
      },
      list: async () => [...names].sort(),
    };
  },
  "checks, waits, then writes": () => {
    const log: Log = new Map();
    const store = careless(log);
    return {
      ...store,
      async append(run, expected, events) {
        const fits = (log.get(run)?.length ?? 0) === expected;
        await new Promise((resolve) => setImmediate(resolve));
        return fits ? store.append(run, expected, events) : createMemoryStore().append(run, -1, events);
      },
    };
  },
  "keeps the caller's array": () => {
    const store = createMemoryStore();
    const log: Log = new Map();
    return {
      ...store,
      async append(run, expected, events) {
        const commit = { ...(await store.append(run, expected, events)), events };
        log.set(run, [...(log.get(run) ?? []), commit]);
        return commit;
      },
      async *read(run, from = { version: 1 }) {
        yield* (log.get(run) ?? []).slice(from.version - 1);
      },
    };
  },
  "gives every commit the same id": () => {
    const store = createMemoryStore();
    return {
      ...store,
      async *read(run, from) {
        for await (const commit of store.read(run, from)) yield { ...commit, id: "same" };
      },
    };
  },
  "answers with another commit than it keeps": () => {
    const store = createMemoryStore();
    return {
      ...store,
      append: async (run, expected, events) => ({ ...(await store.append(run, expected, events)), id: "other" }),
    };
  },
  "mixes runs": () => {
    const store = createMemoryStore();
    const first = "first-20260101_000000-aaaa";
    return { ...store, read: (run, from) => store.read(run.startsWith("second") ? first : run, from) };
  },
  "folds line ends": () => {
    const store = createMemoryStore();
    return {
      ...store,
      append: (run, expected, events) =>
        store.append(run, expected, JSON.parse(JSON.stringify(events).replaceAll("\\r\\n", "\\n"))),
    };
  },
};

test.each(Object.entries(liars))("the suite catches a store that %s", async (_name, open) => {
  const verdicts = await Promise.allSettled(storeConformance.map(({ check }) => check(open())));
  expect(verdicts.some((verdict) => verdict.status === "rejected")).toBe(true);
});

test("the suite passes a store that keeps its word", async () => {
  for (const { check } of storeConformance) await check(createMemoryStore());
});
