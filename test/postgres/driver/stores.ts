import { afterEach, beforeEach } from "vitest";
import { createPostgresStore, type PostgresOptions } from "../../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import { makeDatabase, type TestDatabase } from "../database.ts";

/** A database for each test of a file, and stores in it that are closed when the test ends. */
export interface Stores {
  database(): TestDatabase;
  open(options?: Partial<PostgresOptions>): SharedStore;
  /** Before the end of the test, where something else must end after them. */
  closeAll(): Promise<void>;
}

export function useStores(): Stores {
  let database: TestDatabase;
  const stores: SharedStore[] = [];
  const closeAll = async () => {
    for (const store of stores.splice(0)) await store.close();
  };
  beforeEach(async () => {
    database = await makeDatabase();
  });
  afterEach(async () => {
    await closeAll();
    await database.drop();
  });
  return {
    closeAll,
    database: () => database,
    open(options = {}) {
      const store = createPostgresStore({ url: database.url, project: "one", ...options });
      stores.push(store);
      return store;
    },
  };
}
