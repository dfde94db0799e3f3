import type { Host } from "../contract/host.ts";
import { claudePlugin } from "./diagnose-plugin.ts";
import { claudeServer, claudeServers, userServers } from "./servers.ts";
import { claudeSettings, userSettings } from "./settings.ts";

export const claudeHost: Host = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  folder: ".claude",
  files: [claudeSettings, claudeServers],
  otherSettings: [".claude/settings.local.json"],
  serverBelow: claudeServer,
  plugin: claudePlugin,
  forUser: (folder) => [userSettings(folder), userServers(`${folder}/mcp.mjs`)],
  next: "start Claude Code here and say: start the feature workflow",
};
