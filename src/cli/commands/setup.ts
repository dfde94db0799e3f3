import { hostNames } from "../../hosts/contract/names.ts";
import type { LocalCommand, OptionSpec } from "../command/command.ts";

export const init: LocalCommand = {
  name: "init",
  area: "Set up and maintain",
  positionals: [],
  options: {
    host: {
      type: "string",
      value: "NAMES",
      values: hostNames,
      about: `${hostNames.join(", ")}, or several separated by commas (default: those found here)`,
    },
    permission: extra("let Claude Code use Holdfast's tools without asking"),
    "status-line": extra("show the run in Claude Code's status line, below your own; --yes adds it"),
    "hidden-cards": extra("keep state cards in .holdfast/cards, not in untracked/workflow-state"),
    gitignore: extra("keep your own settings and state cards out of git; --yes adds it"),
    yes: { type: "boolean", about: "do not ask; add only what grants no permission and moves no files" },
    "dry-run": { type: "boolean", about: "show what would change, without changing it" },
    user: { type: "boolean", about: "for all your projects, in your own settings" },
    remove: { type: "boolean", about: "restore the files as they were before" },
  },
  about:
    "Set up this project for your agent: add the hooks and the MCP server to its settings, and keep what is there. " +
    "You can commit the result; it has no effect for people without Holdfast.",
  examples: [
    "holdfast init",
    "holdfast init --host claude,codex --yes",
    "holdfast init --host claude --yes --permission --no-status-line",
    "holdfast init --dry-run",
    "holdfast init --user",
    "holdfast init --remove",
  ],
  async act(parsed, io, paint, errPaint) {
    const { runInit } = await import("../init/init.ts");
    return runInit(parsed, io, paint, errPaint);
  },
};

function extra(about: string): OptionSpec {
  return { type: "boolean", negatable: true, about };
}
