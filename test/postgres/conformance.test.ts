import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { describeStore } from "../store/describe-store.ts";
import { makeDatabase } from "./database.ts";

describeStore("PostgreSQL store", async () => {
  const { url, drop } = await makeDatabase();
  return { store: createPostgresStore({ url, project: "conformance" }), dispose: drop };
});
