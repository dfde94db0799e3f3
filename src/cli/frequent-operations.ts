import "../operation/quick-schemas.ts";
import { compose } from "../app/compose.ts";
import { frequentOperations } from "../app/frequent-operations.ts";

/** The head of a bundle that starts fast: see the table in scripts/bundle-cli.ts. */
export const frequent = { compose, operations: frequentOperations };
