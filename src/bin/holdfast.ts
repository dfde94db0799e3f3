#!/usr/bin/env node
// The program: it picks a face, and loads no other.
import { createRequire } from "node:module";
import { enableCompileCache } from "../platform/compile-cache.ts";

enableCompileCache();
const [face, ...words] = process.argv.slice(2);
if (face === "mcp") {
  const { runMcp } = await import("../mcp/main.ts");
  const exitCode = await runMcp(words);
  if (exitCode !== null) process.exitCode = exitCode;
} else if (face === "hook") {
  // As in hook.ts, which this runs: whatever goes wrong must not become the host's error.
  process.on("uncaughtException", () => process.exit(0));
  process.argv.splice(2, 1);
  createRequire(import.meta.url)("./hook.cjs");
} else if (face === "statusline") {
  const { runStatusline } = await import("../hooks/statusline.ts");
  await runStatusline(words);
} else {
  await import("../cli/main.ts");
}
