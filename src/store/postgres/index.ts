export type {
  Attached,
  Following,
  ListedRun,
  RunFilter,
  RunProjection,
  SharedStore,
  StoredTemplate,
} from "../store.ts";
export { createPostgresStore, type Execute, migratePostgres, type PostgresOptions } from "./postgres-store.ts";
