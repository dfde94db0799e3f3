import type { LocalCommand } from "../command/command.ts";

export const init: LocalCommand = {
  name: "init",
  area: "upkeep",
  positionals: [],
  options: {
    host: {
      type: "string",
      value: "NAMES",
      values: ["claude", "codex", "claude,codex"],
      about: "claude, codex or both (claude,codex); else those found here",
    },
    yes: { type: "boolean", about: "do not ask" },
    "dry-run": { type: "boolean", about: "show what would change, and change nothing" },
    remove: { type: "boolean", about: "give the files back as they were" },
  },
  about:
    "Set up this project for your agent: its hooks and its MCP server, beside whatever you have there. " +
    "What is written can be committed; it disturbs nobody who has no Holdfast.",
  examples: [
    "holdfast init",
    "holdfast init --host claude,codex --yes",
    "holdfast init --dry-run",
    "holdfast init --remove",
  ],
  async act(parsed, io, paint, errPaint) {
    const { runInit } = await import("../init/init.ts");
    return runInit(parsed, io, paint, errPaint);
  },
};
