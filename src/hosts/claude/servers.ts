import { isRecord } from "../../model/json.ts";
import { type Edited, type HostFile, problemAt } from "../contract/host.ts";
import { isEmpty } from "../entries/hook-entries.ts";
import { addProperty, removeAt, replaceValue } from "../entries/json-edit.ts";
import { nodeAt, readJson, valueAt } from "../entries/json-text.ts";
import { foreignNote, type ServerEntry, serverName, serverState } from "../entries/server-entry.ts";
import { runOwn } from "../shims/find-shim.ts";

const path = ".mcp.json";
const list = "mcpServers";
const entryPath = [list, serverName];

/** The word after the script takes the place of the script name in argv. */
export const claudeServer: ServerEntry = { command: "node", args: ["-e", runOwn, "mcp"] };

/** The MCP servers that Claude Code starts for a project. */
export const claudeServers: HostFile = { path, putIn: putServer, takeOut: takeServer };

function putServer(present: string | null): Edited {
  const text = present === null || present.trim() === "" ? "{}\n" : present;
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const servers = reading.value[list];
  if (servers === undefined) return { ok: true, text: addProperty(text, [], list, { [serverName]: claudeServer }) };
  if (!isRecord(servers)) return problemAt(text, nodeAt(text, [list]).offset, `"${list}" is not an object`);
  const entry = valueAt(servers, [serverName]);
  switch (serverState(entry, claudeServer)) {
    case "absent":
      return { ok: true, text: addProperty(text, [list], serverName, claudeServer) };
    case "current":
      return { ok: true, text };
    case "older":
      return { ok: true, text: replaceValue(text, entryPath, { ...Object(entry), ...claudeServer }) };
    case "foreign":
      return { ok: true, text, note: foreignNote(path) };
  }
}

function takeServer(text: string, original: string | null): Edited<string | null> {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const entry = valueAt(reading.value, entryPath);
  if (!["current", "older"].includes(serverState(entry, claudeServer))) return { ok: true, text };
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
