import { isRecord } from "../../model/json.ts";
import { type Edited, type HostFile, problemAt } from "../contract/host.ts";
import { isEmpty } from "./hook-entries.ts";
import { addProperty, removeAt, replaceValue } from "./json-edit.ts";
import { nodeAt, readJson, valueAt } from "./json-text.ts";
import { foreignNote, isByHand, type ServerEntry, serverName, serverState } from "./server-entry.ts";

interface ServerFile {
  readonly path: string;
  /** Its name in messages, if not the path. */
  readonly title?: string;
  /** The key of the servers. */
  readonly list: string;
  readonly server: ServerEntry;
  /** What else a new file has. */
  readonly fresh?: object;
}

/** A JSON file with MCP servers by name. */
export function serverFile(file: ServerFile): HostFile {
  return {
    path: file.path,
    putIn: (text) => putServer(file, text ?? ""),
    takeOut: (text, original) => takeServer(file, text, original),
  };
}

function putServer({ path, title = path, list, server, fresh = {} }: ServerFile, present: string): Edited {
  const empty = isEmpty(fresh) ? "{}\n" : `${JSON.stringify(fresh, null, 2)}\n`;
  const text = present.trim() === "" ? empty : present;
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const servers = reading.value[list];
  if (servers === undefined) return { ok: true, text: addProperty(text, [], list, { [serverName]: server }) };
  if (!isRecord(servers)) return problemAt(text, nodeAt(text, [list]).offset, `"${list}" is not an object`);
  const entry = valueAt(servers, [serverName]);
  switch (serverState(entry, server)) {
    case "absent":
      return { ok: true, text: addProperty(text, [list], serverName, server) };
    case "current":
      return { ok: true, text };
    case "older":
      return { ok: true, text: replaceValue(text, [list, serverName], { ...Object(entry), ...server }) };
    case "foreign":
      return { ok: true, text, note: foreignNote(title) };
  }
}

function takeServer(
  { list, server, fresh = {} }: ServerFile,
  text: string,
  original: string | null,
): Edited<string | null> {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const path = [list, serverName];
  if (!["current", "older"].includes(serverState(valueAt(reading.value, path), server))) return { ok: true, text };
  const before = readJson(original ?? "");
  const earlier = before.ok ? valueAt(before.value, path) : undefined;
  if (isByHand(earlier)) return { ok: true, text: replaceValue(text, path, earlier) };
  const without = removeAt(text, path);
  const kept = before.ok && valueAt(before.value, [list]) !== undefined;
  const left = kept || !isEmpty(valueAt(valueIn(without), [list])) ? without : removeAt(without, [list]);
  const isBare = Object.keys(Object(valueIn(left))).every((key) => key in fresh);
  return { ok: true, text: original === null && isBare ? null : left };
}

function valueIn(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : {};
}
