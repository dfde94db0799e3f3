import { composeGlances } from "../app/compose-glances.ts";
import { glances } from "../app/glances.ts";

/** The head of the bundle that starts fastest: see the table in scripts/bundle-cli.ts. */
export const fastest = { compose: composeGlances, queries: glances };
