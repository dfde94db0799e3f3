export type {
  Attached,
  CopiedCommit,
  Following,
  ListedRun,
  RunFilter,
  RunProjection,
  SharedLease,
  SharedLeases,
  SharedStore,
  StoredTemplate,
} from "../store.ts";
export {
  createPostgresStore,
  type Execute,
  type Migrated,
  migratePostgres,
  type PostgresOptions,
} from "./postgres-store.ts";
