#!/usr/bin/env node
// The program that hosts call on every hook event. It is separate from the command line because it must start fast.
import { isNeeded } from "../hooks/is-needed.ts";
import { enableCompileCache } from "../platform/compile-cache.ts";

// A broken installation, or a host that closed our output, must not show up as the host's error.
process.on("uncaughtException", () => process.exit(0));

const words = process.argv.slice(2);
if (isNeeded(words, { cwd: workingFolder(), env: process.env, parent: process.ppid })) {
  enableCompileCache();
  void import("../hooks/main.ts").then(({ runHook }) => runHook(words));
}

function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
