import { HoldfastError } from "../errors.ts";
import type { Commit, Store } from "./store.ts";

export function createMemoryStore(): Store {
  const log = new Map<string, Commit[]>();
  return {
    async append(run, expected, events, on) {
      const commits = log.get(run) ?? [];
      const last = commits.at(-1);
      const isOther = on !== undefined && on.id !== last?.id;
      if (commits.length !== expected || isOther) throw new HoldfastError("version-conflict", { run, expected });
      const version = expected + 1;
      const commit = structuredClone({ version, id: `${run}:${version}`, place: expected, events });
      log.set(run, [...commits, commit]);
      return structuredClone(commit);
    },
    async *read(run, from = { version: 1 }) {
      for (const commit of (log.get(run) ?? []).slice(from.version - 1)) yield structuredClone(commit);
    },
    async isStillAt(run, { version, id }) {
      const last = log.get(run)?.at(-1);
      return last?.version === version && last.id === id;
    },
    async list() {
      return [...log.keys()].sort();
    },
    async close() {},
  };
}
