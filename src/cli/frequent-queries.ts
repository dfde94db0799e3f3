import "../operation/quick-schemas.ts";
import { compose } from "../app/compose.ts";
import { frequentQueries } from "../app/frequent-queries.ts";

/** The head of a bundle that starts fast: see the table in scripts/bundle-cli.ts. */
export const queries = { compose, operations: frequentQueries };
