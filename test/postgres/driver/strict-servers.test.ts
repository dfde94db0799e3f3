import { createServer, connect as dial } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore, migratePostgres } from "../../../src/store/postgres/postgres-store.ts";
import { readAll } from "../../../src/store/store.ts";
import { at, makeDatabase, type TestDatabase } from "../database.ts";
import { noted } from "../events.ts";

// Servers whose settings we did not choose.

const run = "first-20260101_000000-aaaa";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

test.each([
  ["serializable transactions", "default_transaction_isolation = 'serializable'"],
  ["repeatable reads", "default_transaction_isolation = 'repeatable read'"],
])("with %s, of many writers of a version one wins, and all others hear that it is taken", async (_, setting) => {
  await database.query(`ALTER DATABASE ${nameOf(database)} SET ${setting}`);
  const stores = Array.from({ length: 8 }, () =>
    createPostgresStore({ url: database.url, project: "one", connections: 1 }),
  );
  const results: string[][] = [];
  for (let version = 1; version <= 12; version++) {
    const calls = stores.map((store, n) =>
      store.append(run, version - 1, [noted(version, `writer ${n}`)]).then(
        () => "won",
        (error) => String(error.code),
      ),
    );
    results.push((await Promise.all(calls)).sort());
  }
  const lost = Array.from({ length: 7 }, () => "version-conflict");
  expect(results).toEqual(results.map(() => [...lost, "won"]));
  const [store] = stores;
  if (store !== undefined) expect(await readAll(store.read(run))).toHaveLength(12);
  for (const each of stores) await each.close();
});

/** The same server, which says other words of the same length. They must have no place in other messages here. */
async function saying(url: string, word: string, instead: string): Promise<{ readonly url: string; close(): void }> {
  const listener = createServer((client) => {
    const server = dial(Number(new URL(url).port), "127.0.0.1");
    client.on("data", (bytes) => server.write(bytes));
    server.on("data", (bytes) => {
      const text = bytes.toString("latin1").replaceAll(word, instead);
      client.write(Buffer.from(text, "latin1"));
    });
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", () => {}).on("close", end);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = String(typeof address === "object" && address !== null ? address.port : 0);
  return { url: at(url, { port }), close: () => void listener.close() };
}

test("a server that speaks another language is understood by its codes", async () => {
  const empty = await makeDatabase(undefined, { isEmpty: true });
  const french = await saying(empty.url, "SERROR\0", "SERREU\0");
  const store = createPostgresStore({ url: french.url, project: "one" });
  try {
    await expect(store.append(run, 0, [noted(1, "one")])).rejects.toMatchObject({ code: "store-schema" });
    expect(await migratePostgres({ url: french.url })).toEqual({ before: 0, version: 1 });
    await store.append(run, 0, [noted(1, "one")]);
    await empty.query("DROP TABLE holdfast.templates, holdfast.commits");
    const refused = store.append(run, 1, [noted(2, "two")], { place: 1, id: "x" });
    await expect(refused).rejects.toMatchObject({ code: "store-refused" });
  } finally {
    await store.close();
    french.close();
    await empty.drop();
  }
});

test("a server that is too old gets no tables", async () => {
  const empty = await makeDatabase(undefined, { isEmpty: true });
  const [row] = await empty.query("SHOW server_version_num");
  const old = await saying(empty.url, String(row?.server_version_num), "130023");
  try {
    const refused = { code: "store-refused", message: expect.stringContaining("PostgreSQL 13, and Holdfast needs 14") };
    await expect(migratePostgres({ url: old.url })).rejects.toMatchObject(refused);
    expect(await empty.query("SELECT to_regnamespace('holdfast') AS schema")).toEqual([{ schema: null }]);
  } finally {
    old.close();
    await empty.drop();
  }
});

test("a database in which not every text can be stored gets no tables", async () => {
  const name = `${nameOf(database)}_latin`;
  await database.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
  try {
    const url = at(database.url, { pathname: `/${name}` });
    const refused = { code: "store-refused", message: expect.stringContaining("LATIN1") };
    await expect(migratePostgres({ url })).rejects.toMatchObject(refused);
    const store = createPostgresStore({ url, project: "one" });
    await expect(store.list()).rejects.toMatchObject({ code: "store-schema", data: { found: 0 } });
    await store.close();
  } finally {
    await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});
