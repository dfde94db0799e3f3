import { type Execution, execute } from "../../../src/platform/processes.ts";

/** Runs what it is told to and stays until that has ended, or until it is killed itself. */
const [argv] = process.argv.slice(2).map((text): Execution["argv"] => JSON.parse(text));
if (argv === undefined) throw new Error("name what to run, as JSON");
await execute({ argv, cwd: process.cwd(), env: process.env, timeoutMs: 120_000, tailBytes: 1_000 });
