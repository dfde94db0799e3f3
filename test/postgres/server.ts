import { type PostgresServer, startPostgres } from "../../scripts/postgres-server.ts";

let server: PostgresServer | null = null;

/** One server for all tests, unless whoever runs them names one. Tests that stop a server start their own. */
export async function setup(): Promise<void> {
  if (process.env.HOLDFAST_TEST_DATABASE_URL !== undefined) return;
  server = await startPostgres({ durable: false });
  process.env.HOLDFAST_TEST_DATABASE_URL = server.url;
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
