import type { Host } from "../contract/host.ts";
import { claudeServers } from "./servers.ts";
import { claudeSettings } from "./settings.ts";

export const claudeHost: Host = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  folder: ".claude",
  files: [claudeSettings, claudeServers],
  otherSettings: [".claude/settings.local.json"],
  next: "start Claude Code here and say: start the feature workflow",
};
