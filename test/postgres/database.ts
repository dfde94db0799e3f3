import { randomUUID } from "node:crypto";
import pg from "pg";
import { migratePostgres } from "../../src/store/postgres/postgres-store.ts";

/** A database of its own for a test. */
export interface TestDatabase {
  readonly url: string;
  /** As a superuser, past the store. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** How many connections of stores there are. */
  connections(): Promise<number>;
  drop(): Promise<void>;
}

/** On the server for all tests, or on another one. */
export async function makeDatabase(
  server: string = process.env.HOLDFAST_TEST_DATABASE_URL ?? "",
  { isEmpty = false } = {},
): Promise<TestDatabase> {
  const name = `holdfast_${randomUUID().replaceAll("-", "")}`;
  await once(server, `CREATE DATABASE ${name}`);
  const url = at(server, { pathname: `/${name}` });
  if (!isEmpty) await migratePostgres({ url });
  return {
    url,
    query: (text, values) => once(url, text, values),
    async connections() {
      const counting =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND application_name = 'holdfast'";
      return Number((await once(server, counting, [name]))[0]?.n);
    },
    async drop() {
      await once(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The same address with another part. */
export function at(
  url: string,
  parts: Partial<Pick<URL, "pathname" | "port" | "password" | "username" | "hostname">>,
): string {
  return Object.assign(new URL(url), parts).href;
}

async function once(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
