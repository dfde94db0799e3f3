import { runCli } from "./run-cli.ts";
import { processIo } from "./terminal/process-io.ts";

process.exitCode = await runCli(process.argv.slice(2), processIo());
