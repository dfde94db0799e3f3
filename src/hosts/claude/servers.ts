import { isRecord } from "../../model/json.ts";
import { type Edited, type HostFile, problemAt } from "../contract/host.ts";
import { isEmpty } from "../entries/hook-entries.ts";
import { addProperty, removeAt, replaceValue } from "../entries/json-edit.ts";
import { nodeAt, readJson, valueAt } from "../entries/json-text.ts";
import { foreignNote, type ServerEntry, serverName, serverState } from "../entries/server-entry.ts";
import { runOwn, shimVariable } from "../shims/find-shim.ts";

const list = "mcpServers";
const entryPath = [list, serverName];

/** The word after the script takes the place of the script name in argv. */
export const claudeServer: ServerEntry = { command: "node", args: ["-e", runOwn, "mcp"] };

/** The MCP servers that Claude Code starts for a project. */
export const claudeServers: HostFile = serversFile(".mcp.json", claudeServer, ".mcp.json");

/** The servers that Claude Code starts for a user. The file belongs to the program and may hold secrets: no copy is kept. */
export function userServers(shim: string): HostFile {
  const entry = { ...claudeServer, env: { [shimVariable]: shim } };
  return { ...serversFile(".claude.json", entry, "~/.claude.json"), keeps: onlyServers };
}

function onlyServers(text: string): string {
  const servers = valueAt(valueIn(text), [list]);
  const entry = valueAt(servers, [serverName]);
  return JSON.stringify(servers === undefined ? {} : { [list]: entry === undefined ? {} : { [serverName]: entry } });
}

function serversFile(path: string, wanted: ServerEntry, name: string): HostFile {
  return {
    path,
    putIn: (text) => putServer(text, wanted, name),
    takeOut: (text, original) => takeServer(text, original, wanted),
  };
}

function putServer(present: string | null, wanted: ServerEntry, name: string): Edited {
  const text = present === null || present.trim() === "" ? "{}\n" : present;
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const servers = reading.value[list];
  if (servers === undefined) return { ok: true, text: addProperty(text, [], list, { [serverName]: wanted }) };
  if (!isRecord(servers)) return problemAt(text, nodeAt(text, [list]).offset, `"${list}" is not an object`);
  const entry = valueAt(servers, [serverName]);
  switch (serverState(entry, wanted)) {
    case "absent":
      return { ok: true, text: addProperty(text, [list], serverName, wanted) };
    case "current":
      return { ok: true, text };
    case "older":
      return { ok: true, text: replaceValue(text, entryPath, { ...Object(entry), ...wanted }) };
    case "foreign":
      return { ok: true, text, note: foreignNote(name) };
  }
}

function takeServer(text: string, original: string | null, wanted: ServerEntry): Edited<string | null> {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const entry = valueAt(reading.value, entryPath);
  if (!["current", "older"].includes(serverState(entry, wanted))) return { ok: true, text };
  const before = readJson(original ?? "");
  const earlier = before.ok ? valueAt(before.value, entryPath) : undefined;
  if (earlier !== undefined) return { ok: true, text: replaceValue(text, entryPath, earlier) };
  const without = removeAt(text, entryPath);
  const kept = before.ok && valueAt(before.value, [list]) !== undefined;
  const left = kept || !isEmpty(valueAt(valueIn(without), [list])) ? without : removeAt(without, [list]);
  return { ok: true, text: original === null && isEmpty(valueIn(left)) ? null : left };
}

function valueIn(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : {};
}
