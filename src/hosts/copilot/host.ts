import { claudeServers } from "../claude/servers.ts";
import type { Host } from "../contract/host.ts";
import { copilotHooks } from "./settings.ts";

/** It shares the list of servers with Claude Code: where there is a `.mcp.json`, it reads no other list of a project. */
export const copilotHost: Host = {
  name: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  folder: ".copilot",
  files: [copilotHooks, claudeServers],
  next: "start Copilot CLI here, trust the folder, and say: start the feature workflow",
};
