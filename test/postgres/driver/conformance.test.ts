import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createCopiedStore } from "../../../src/store/copied-store.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { templateFile } from "../../../src/templates/hash.ts";
import { describeStore } from "../../store/describe-store.ts";
import { expectCaught, liars } from "../../store/liars.ts";
import { makeDatabase, type TestDatabase } from "../database.ts";

describeStore("PostgreSQL store", async () => {
  const { url, drop } = await makeDatabase();
  return { store: createPostgresStore({ url, project: "conformance" }), dispose: drop };
});

describeStore("PostgreSQL store with local copies", async () => {
  const { url, drop } = await makeDatabase();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
  const shared = createPostgresStore({ url, project: "conformance" });
  return {
    store: createCopiedStore(shared, { root: join(folder, "runs"), templateFile }),
    async dispose() {
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
});

describe("over PostgreSQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await makeDatabase();
  });
  afterAll(() => database.drop());

  test.each(Object.entries(liars))("the suite catches a store that %s", (_name, lie) =>
    expectCaught(lie, () => createPostgresStore({ url: database.url, project: randomUUID() })),
  );
});
