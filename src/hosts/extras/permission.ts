import { isRecord } from "../../model/json.ts";
import { type Edited, problemAt } from "../contract/host.ts";
import { addProperty, appendItem, removePruned } from "../entries/json-edit.ts";
import { type JsonPath, nodeAt, readJson, valueAt } from "../entries/json-text.ts";

/** Every tool of the server named "holdfast". */
const permission = "mcp__holdfast";
const list: JsonPath = ["permissions", "allow"];

/** Lets Claude Code use Holdfast's tools without asking. */
export function putPermission(present: string | null): Edited {
  const text = present === null || present.trim() === "" ? "{}\n" : present;
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const { permissions } = reading.value;
  if (permissions === undefined) {
    return { ok: true, text: addProperty(text, [], "permissions", { allow: [permission] }) };
  }
  if (!isRecord(permissions)) return problemAt(text, nodeAt(text, ["permissions"]).offset, "it is not an object");
  const { allow } = permissions;
  if (allow === undefined) return { ok: true, text: addProperty(text, ["permissions"], "allow", [permission]) };
  if (!Array.isArray(allow)) return problemAt(text, nodeAt(text, list).offset, "it is not a list");
  return { ok: true, text: allow.includes(permission) ? text : appendItem(text, list, permission) };
}

export function takePermission(text: string, original: string | null): Edited<string | null> {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const allow = valueAt(reading.value, list);
  const before = readJson(original ?? "");
  const earlier = before.ok ? valueAt(before.value, list) : undefined;
  const place = Array.isArray(allow) ? allow.indexOf(permission) : -1;
  if (place === -1 || (Array.isArray(earlier) && earlier.includes(permission))) return { ok: true, text };
  return { ok: true, text: removePruned(text, [...list, place], original) };
}
