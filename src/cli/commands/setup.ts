import { hostNames } from "../../hosts/contract/names.ts";
import type { LocalCommand } from "../command/command.ts";

export const init: LocalCommand = {
  name: "init",
  area: "Set up and maintain",
  positionals: [],
  options: {
    host: {
      type: "string",
      value: "NAMES",
      values: hostNames,
      about: `${hostNames.join(", ")}, or several with commas between (default: those found here)`,
    },
    yes: { type: "boolean", about: "do not ask for confirmation" },
    "dry-run": { type: "boolean", about: "show what would change, without changing it" },
    user: { type: "boolean", about: "for every project of yours, in your own settings" },
    remove: { type: "boolean", about: "restore the files as they were before" },
  },
  about:
    "Set up this project for your agent: add the hooks and the MCP server to its settings, and keep what is there. " +
    "You can commit the result; it has no effect for people without Holdfast.",
  examples: [
    "holdfast init",
    "holdfast init --host claude,codex --yes",
    "holdfast init --dry-run",
    "holdfast init --user",
    "holdfast init --remove",
  ],
  async act(parsed, io, paint, errPaint) {
    const { runInit } = await import("../init/init.ts");
    return runInit(parsed, io, paint, errPaint);
  },
};
