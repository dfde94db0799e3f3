import type { HostFile } from "../contract/host.ts";
import { readJson, valueAt } from "../entries/json-text.ts";
import { serverName } from "../entries/server-entry.ts";
import { serverFile } from "../entries/server-file.ts";
import { runOwn, shimVariable } from "../shims/find-shim.ts";

const list = "mcpServers";

/** The word after the script takes the place of the script name in argv. */
export const claudeServer = { command: "node", args: ["-e", runOwn, "mcp"] };

/** The MCP servers that Claude Code starts for a project. */
export const claudeServers: HostFile = serverFile({ path: ".mcp.json", list, server: claudeServer });

/** The servers that Claude Code starts for a user. The file belongs to the program and may hold secrets: no copy is kept. */
export function userServers(shim: string): HostFile {
  const server = { ...claudeServer, env: { [shimVariable]: shim } };
  return { ...serverFile({ path: ".claude.json", title: "~/.claude.json", list, server }), keeps: onlyServers };
}

function onlyServers(text: string): string {
  const reading = readJson(text);
  const servers = reading.ok ? valueAt(reading.value, [list]) : undefined;
  const entry = valueAt(servers, [serverName]);
  return JSON.stringify(servers === undefined ? {} : { [list]: entry === undefined ? {} : { [serverName]: entry } });
}
