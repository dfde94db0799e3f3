import "../operation/quick-schemas.ts";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { parseArgs } from "node:util";
import { serveClient } from "./serve-client.ts";

const help = `Serve Holdfast to an MCP client over standard input and output.

Usage: holdfast mcp [options]

  --worktree DIR        the folder that the agent works in (the working directory)
  --repo-root DIR       the folder that holds .holdfast/ (found by itself)
  --workflow-path FILE  the workflow to start when none is named

Example, in .mcp.json:
  {"mcpServers": {"holdfast": {"command": "holdfast", "args": ["mcp"]}}}
`;

/** Serves one client until it disconnects. Returns an exit code if it cannot serve, otherwise null. */
export async function runMcp(words: readonly string[]): Promise<number | null> {
  const flags = readFlags(words);
  const problem = typeof flags === "string" ? flags : folderProblem(flags);
  if (typeof flags === "string" || problem !== null) {
    process.stderr.write(`usage: ${problem}\n  Next   holdfast mcp --help\n`);
    return 2;
  }
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  const workflow = flags["workflow-path"] === undefined ? undefined : resolve(flags["workflow-path"]);
  const folders = { cwd: process.cwd(), worktree: flags.worktree ?? ".", stateRoot: flags["repo-root"], workflow };
  const served = serveClient(folders, process.env, process.stdin, process.stdout);
  // A running gate must not keep the server alive when the client is gone; its processes end with the server.
  process.stdin.once("close", () => served.close().finally(() => leave(process.stdout)));
  return null;
}

/** Flushes the answers that were already made. */
function leave(output: Writable): void {
  const exit = () => process.exit(0);
  setTimeout(exit, farewellMs);
  output.write("", exit);
}

const farewellMs = 2_000;

/** Null when all given folders exist. */
function folderProblem(flags: Readonly<Record<string, unknown>>): string | null {
  for (const name of ["worktree", "repo-root"]) {
    const folder = flags[name];
    if (typeof folder === "string" && !isFolder(folder)) return `--${name}: there is no folder ${folder}`;
  }
  return null;
}

/** A folder that cannot be read counts as missing. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function readFlags(words: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { worktree: text, "repo-root": text, "workflow-path": text, help: { type: "boolean" } } as const;
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}
