import { dirname, join } from "node:path";
import { buildPage } from "../../../scripts/build-page.ts";

/** Puts the page beside the bundled program, where it looks for it. */
export async function setup(): Promise<void> {
  await buildPage(join(dirname(process.env.HOLDFAST_TEST_CLI ?? ""), "../page"));
}
