import { afterEach, expect, test, vi } from "vitest";
import { readAddress } from "../../../src/store/postgres/address.ts";
import { storeFailure } from "../../../src/store/postgres/failures.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { makeDatabase } from "../database.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a database is named as the driver finds it, also by variables, parameters and the folder of a socket", () => {
  const where = (url: string) => readAddress(url).where;
  expect(where("postgres://ada:pw@/shop?host=/run/postgresql")).toBe("/run/postgresql:5432/shop");
  expect(where("postgres://one:1/shop?host=two&port=2")).toBe("two:2/shop");
  vi.stubEnv("PGHOST", "elsewhere");
  vi.stubEnv("PGPORT", "6543");
  vi.stubEnv("PGDATABASE", "named");
  expect(where("postgres://")).toBe("elsewhere:6543/named");
  expect(where("postgres://ada:pw@/")).toBe("elsewhere:6543/named");
  expect(where("postgres://one:1/shop")).toBe("one:1/shop");
});

test("the driver connects to an address without a host, which other programs write for a socket", async () => {
  const database = await makeDatabase();
  const { username, password, hostname, port, pathname } = new URL(database.url);
  const url = `postgres://${username}:${password}@${pathname}?host=${hostname}&port=${port}`;
  const store = createPostgresStore({ url, project: "one" });
  expect(await store.list()).toEqual([]);
  await store.close();
  await database.drop();
});

test("a short password is masked where it stands alone, and not within words", () => {
  const shown = (password: string, text: string) => readAddress(`postgres://ada:${password}@host/x`).scrub(text);
  expect(shown("p", "permission denied for user p")).toBe("permission denied for user ***");
  expect(shown("perm", "permission denied")).toBe("***ission denied");
  for (const short of ["+(", "-_", "a b", "\\/", "]^"])
    expect(shown(encodeURIComponent(short), `no ${short} here`)).toBe("no *** here");
});

test("a server without encryption gets advice about that, and not about the password", () => {
  const address = readAddress("postgres://ada:secret@host/x?sslmode=require");
  const refused = storeFailure(address, new Error("The server does not support SSL connections"), "no");
  expect(refused).toMatchObject({ code: "store-refused", next: expect.stringContaining("sslmode=disable") });
  expect(refused.message).toContain("refuses: The server does not support SSL connections");
});
