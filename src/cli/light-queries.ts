import { composeLight } from "../app/compose-light.ts";
import { lightQueries } from "../app/light-queries.ts";

/** The head of the bundle that starts fastest: see the table in scripts/bundle-cli.ts. */
export const light = { compose: composeLight, queries: lightQueries };
