import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore, migratePostgres } from "../../../src/store/postgres/postgres-store.ts";
import { readAll, type SharedStore } from "../../../src/store/store.ts";
import { at, makeDatabase, type TestDatabase } from "../database.ts";

const run = "first-20260101_000000-aaaa";
const event = { seq: 1, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary: "one" } as const;

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

/** The error of an append, and all that anybody could print of it. */
async function failureAt(url: string): Promise<{ readonly error: unknown; readonly text: string }> {
  let store: SharedStore | null = null;
  try {
    store = createPostgresStore({ url, project: "one", waits: { connect: 2_000 } });
    await store.append(run, 0, [event]);
    throw new Error("the append was not refused");
  } catch (error) {
    return { error, text: inspect(error, { depth: 20, showHidden: true }) };
  } finally {
    await store?.close();
  }
}

const secret = "s3cret/+ %41@:?";

test.each([
  ["a wrong password", { password: encodeURIComponent(secret) }, "store-refused", "password authentication failed"],
  [
    "an unknown user",
    { username: "nobody-here", password: encodeURIComponent(secret) },
    "store-refused",
    "nobody-here",
  ],
  ["no such database", { pathname: "/no_such_database" }, "store-refused", "does not exist"],
  ["no server there", { port: "1", password: encodeURIComponent(secret) }, "store-unreachable", "ECONNREFUSED"],
  ["no such host", { hostname: "no-such-host.invalid" }, "store-unreachable", "no-such-host.invalid"],
] as const)("%s is named, and no password is", async (_name, parts, code, words) => {
  const url = at(database.url, parts);
  const { error, text } = await failureAt(url);
  expect(error).toMatchObject({ code, data: { ...(code === "store-unreachable" && { committed: "no" }) } });
  expect(text).toContain(words);
  expect(text).toContain("nothing was changed");
  for (const password of [secret, new URL(url).password, new URL(database.url).password])
    expect(text).not.toContain(password);
});

test("what is no address of a database is refused without being repeated", () => {
  for (const url of ["", `postgres://user:${secret} @[`, `mysql://user:${secret}@host/x`, secret]) {
    const open = () => createPostgresStore({ url, project: "one" });
    expect(open).toThrow("is not a URL such as postgres://user:password@host:5432/database");
    expect(open).not.toThrow(secret);
  }
});

test("an address with several hosts is refused, and one with a comma in its password is not", () => {
  const open = (url: string) => () => createPostgresStore({ url, project: "one" });
  for (const hosts of ["one,two", "one:5432,two:5432", "[::1],two"]) {
    expect(open(`postgres://user:a,b@${hosts}/x`)).toThrow("the address of your database names several hosts");
    expect(open(`postgres://${hosts}?sslmode=require`)).toThrow("names several hosts");
  }
  expect(open("postgres://user,x:a,b@one/x,y?options=a,b")).not.toThrow();
  expect(open("postgres://user:a,b/c@one/x")).toThrow("is not a URL");
});

test.each(["#", "/", "?", "?a=", "@x/", "@x?", "@x#", "%ff"])(
  "a password with %s as it is gets the advice to write it as a code, and no part of it is shown",
  async (special) => {
    for (const planted of [`Pa55word${special}Zw31f`, `5${special}Zw31f`, `${special}Zw31f`]) {
      const url = at(database.url, {}).replace(/:[^:@]*@/, `:${planted}@`);
      const { error, text } = await failureAt(url);
      expect(error).toMatchObject({ code: "store-refused", next: expect.stringContaining("# as %23, / as %2F") });
      expect(text).not.toMatch(/Pa55word|Zw31f/);
      expect(text).not.toContain(new URL(database.url).port);
      const encoded = at(database.url, { password: encodeURIComponent(planted) });
      expect((await failureAt(encoded)).text).toContain("password authentication failed");
    }
  },
);

test.each(["sslrootcert", "sslcert", "sslkey"])("a file for %s that cannot be read is named", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tls-"));
  for (const path of [join(folder, "no-such.pem"), folder]) {
    const { error, text } = await failureAt(`${database.url}?sslmode=verify-full&${name}=${path}`);
    expect(error).toMatchObject({ code: "store-refused", next: expect.stringContaining(`correct ${name}`) });
    expect(error).toMatchObject({
      message: expect.stringContaining(`was not asked: the file ${path} for ${name} cannot be read: `),
    });
    expect(text).not.toContain(new URL(database.url).password);
  }
});

test("an @ in a parameter of an address is no mistake", () => {
  const open = (query: string) => createPostgresStore({ url: `postgres://host/db?${query}`, project: "one" });
  expect(open("user=ada@corp&password=p@ss").where).toBe("host:5432/db");
});

test("a database without tables is told apart from one with newer tables, and neither is touched", async () => {
  const empty = await makeDatabase(undefined, { isEmpty: true });
  expect((await failureAt(empty.url)).error).toMatchObject({ code: "store-schema", data: { found: 0 } });
  await empty.drop();

  await database.query("INSERT INTO holdfast.migrations (version, needs) VALUES (9, '7.5.0')");
  const { error } = await failureAt(database.url);
  expect(error).toMatchObject({ code: "store-schema", next: "update Holdfast to version 7.5.0 or later" });
  await expect(migratePostgres({ url: database.url })).rejects.toMatchObject({ code: "store-schema" });
  expect(await database.query("SELECT * FROM holdfast.runs")).toEqual([]);
});

test("a program that is older than tables which were migrated meanwhile notices at its next connection", async () => {
  const store = createPostgresStore({ url: database.url, project: "one", connections: 1 });
  const first = await store.append(run, 0, [event]);
  await database.query("INSERT INTO holdfast.migrations (version, needs) VALUES (9, 'nonsense')");
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast' AND datname = current_database()",
  );
  await expect.poll(() => database.connections()).toBe(0);
  await expect(store.append(run, 1, [event], first)).rejects.toMatchObject({ next: "update Holdfast" });
  await store.close();
});

test("several programs migrate at once, and each finds the same tables", async () => {
  const empty = await makeDatabase(undefined, { isEmpty: true });
  await Promise.all(Array.from({ length: 6 }, () => migratePostgres({ url: empty.url })));
  expect(await empty.query("SELECT version FROM holdfast.migrations")).toEqual([{ version: 1 }]);
  await empty.drop();
});

test("a user without rights is told which are missing", async () => {
  const name = `reader_${Date.now()}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`);
  await database.query(`GRANT USAGE ON SCHEMA holdfast TO ${name}`);
  await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA holdfast TO ${name}`);
  const { error, text } = await failureAt(at(database.url, { username: name, password: "x" }));
  expect(error).toMatchObject({ code: "store-refused" });
  expect(text).toContain("permission denied for table");
  await database.query(`DROP OWNED BY ${name}`);
  await database.query(`DROP ROLE ${name}`);
});

test.each([
  [
    "a changed line",
    "UPDATE holdfast.commits SET line = overlay(line PLACING 'x'::bytea FROM 150) WHERE version = 1",
    "does not match its hash",
  ],
  ["a removed line", "DELETE FROM holdfast.commits WHERE version = 2", "version 3 follows version 1"],
  [
    "a swapped line",
    "UPDATE holdfast.commits SET line = (SELECT line FROM holdfast.commits WHERE version = 1) WHERE version = 2",
    "another commit",
  ],
])("%s in the database is damage", async (_name, damage, problem) => {
  const store = createPostgresStore({ url: database.url, project: "one" });
  for (let n = 0; n < 3; n++) await store.append(run, n, [{ ...event, seq: n + 1 }]);
  await database.query(damage);
  await expect(readAll(store.read(run))).rejects.toThrow(problem);
  await store.close();
});
