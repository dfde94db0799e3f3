#!/usr/bin/env node
import { exitCodes } from "./exit-codes.ts";
import { processIo } from "./process-io.ts";
import { runCli } from "./run-cli.ts";

try {
  process.exitCode = await runCli(process.argv.slice(2), processIo());
} catch (error) {
  // Not even the terminal could be set up: the folder we are in is gone, or the like.
  process.stderr.write(
    `failed: ${error instanceof Error ? error.message : String(error)}\n  Next   try in another folder\n`,
  );
  process.exitCode = exitCodes.failed;
}
