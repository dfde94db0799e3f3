import { expect } from "vitest";
import { HoldfastError } from "../../src/errors.ts";
import { storeConformance } from "../../src/store/conformance.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";

/** Appends to the end, wherever that is, and says that it was what was expected. */
function careless(store: Store): Store {
  return {
    ...store,
    async append(run, expected, events) {
      for (;;) {
        const { length } = await readAll(store.read(run));
        const commit = await store.append(run, length, events).catch(() => null);
        if (commit !== null) return { ...commit, version: expected + 1 };
      }
    },
  };
}

async function versionAt(store: Store, run: string, place: number | undefined): Promise<number | undefined> {
  return (await readAll(store.read(run))).find((commit) => commit.place === place)?.version;
}

/** Stores that are wrong on purpose, over one that is right. A conformance suite that passes one of these proves nothing. */
export const liars: Readonly<Record<string, (honest: Store) => Store>> = {
  "accepts stale versions": careless,
  "reads newest first": (store) => ({
    ...store,
    async *read(run, from) {
      yield* (await readAll(store.read(run, from))).reverse();
    },
  }),
  "ignores where reading should begin": (store) => ({ ...store, read: (run) => store.read(run) }),
  "believes a wrong hint": (store) => ({
    ...store,
    async *read(run, from) {
      const version = from?.place === undefined ? from?.version : await versionAt(store, run, from.place);
      yield* store.read(run, { version: version ?? 100 });
    },
  }),
  "does not look at what an append builds on": (store) => ({
    ...store,
    append: (run, expected, events) => store.append(run, expected, events),
  }),
  "believes a wrong hint when it appends": (store) => ({
    ...store,
    async append(run, expected, events, on) {
      const version = on === undefined ? expected : await versionAt(store, run, on.place);
      return store.append(run, version ?? 100, events, on);
    },
  }),
  "always thinks that nothing has happened": (store) => ({ ...store, isStillAt: async () => true }),
  "never knows whether something has happened": (store) => ({ ...store, isStillAt: async () => false }),
  "takes the version alone for the commit": (store) => ({
    ...store,
    isStillAt: async (run, { version }) => (await readAll(store.read(run))).at(-1)?.version === version,
  }),
  "lists in arrival order": (store) => ({ ...store, list: async () => [...(await store.list())].reverse() }),
  "lists a run once per commit": (store) => {
    const names: string[] = [];
    return {
      ...store,
      async append(run, expected, events, on) {
        const commit = await store.append(run, expected, events, on);
        names.push(run);
        return commit;
      },
      list: async () => [...names].sort(),
    };
  },
  "checks, waits, then writes": (store) => ({
    ...store,
    async append(run, expected, events) {
      const fits = (await readAll(store.read(run))).length === expected;
      await new Promise((resolve) => setImmediate(resolve));
      if (!fits) throw new HoldfastError("version-conflict", { run, expected });
      return careless(store).append(run, expected, events);
    },
  }),
  "keeps the caller's array": (store) => {
    const log = new Map<string, Commit[]>();
    return {
      ...store,
      async append(run, expected, events, on) {
        const commit = { ...(await store.append(run, expected, events, on)), events };
        log.set(run, [...(log.get(run) ?? []), commit]);
        return commit;
      },
      async *read(run, from = { version: 1 }) {
        yield* (log.get(run) ?? []).slice(from.version - 1);
      },
    };
  },
  "gives every commit the same id": (store) => ({
    ...store,
    async *read(run, from) {
      for await (const commit of store.read(run, from)) yield { ...commit, id: "same" };
    },
  }),
  "answers with another commit than it keeps": (store) => ({
    ...store,
    append: async (run, expected, events, on) => ({ ...(await store.append(run, expected, events, on)), id: "other" }),
  }),
  "mixes runs": (store) => {
    const first = "first-20260101_000000-aaaa";
    return { ...store, read: (run, from) => store.read(run.startsWith("second") ? first : run, from) };
  },
  "folds line ends": (store) => ({
    ...store,
    append: (run, expected, events, on) =>
      store.append(run, expected, JSON.parse(JSON.stringify(events).replaceAll("\\r\\n", "\\n")), on),
  }),
};

/** Every promise is tried on a store of its own. */
export async function expectCaught(lie: (honest: Store) => Store, open: () => Store): Promise<void> {
  const verdicts = await Promise.allSettled(
    storeConformance.map(async ({ check }) => {
      const honest = open();
      try {
        await check(lie(honest));
      } finally {
        await honest.close();
      }
    }),
  );
  expect(verdicts.some(({ status }) => status === "rejected")).toBe(true);
}
