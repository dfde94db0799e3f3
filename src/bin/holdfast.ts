#!/usr/bin/env node
// The program: it picks a face, and loads no other.
if (process.argv[2] === "mcp") {
  const { runMcp } = await import("../mcp/main.ts");
  const exitCode = runMcp(process.argv.slice(3));
  if (exitCode !== null) process.exitCode = exitCode;
} else {
  await import("../cli/main.ts");
}
