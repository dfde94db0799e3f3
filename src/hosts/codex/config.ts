import { isDeepStrictEqual } from "node:util";
import { parse, stringify, TomlError } from "smol-toml";
import { isRecord } from "../../model/json.ts";
import type { Edited, FileProblem, HostFile } from "../contract/host.ts";
import { valueAt } from "../entries/json-text.ts";
import { foreignNote, isByHand, type ServerEntry, serverName, serverState } from "../entries/server-entry.ts";
import { runNearest } from "../shims/find-shim.ts";

const entryPath = ["mcp_servers", serverName];

/** The word after the script takes the place of the script name in argv. */
const codexServer: ServerEntry = { command: "node", args: ["-e", runNearest("mcp"), "mcp"] };

/** The settings that Codex reads in a trusted project. */
export const codexConfig: HostFile = configFile(codexServer, "");

/** The settings that Codex reads everywhere. */
export function userConfig(shim: string): HostFile {
  return configFile({ command: "node", args: [shim] }, "~/");
}

function configFile(wanted: ServerEntry, where: string): HostFile {
  const path = ".codex/config.toml";
  return {
    path,
    putIn: (text) => putServer(text, wanted, where + path),
    takeOut: (text, original) => takeServer(text, original, wanted),
  };
}

function putServer(present: string | null, wanted: ServerEntry, name: string): Edited {
  const text = present ?? "";
  const reading = readToml(text);
  if (!reading.ok) return reading;
  const entry = valueAt(reading.value, entryPath);
  switch (serverState(entry, wanted)) {
    case "absent":
      return checked(text, appended(text, wanted), wanted);
    case "current":
      return { ok: true, text };
    case "older": {
      const merged = { ...structuredClone(Object(entry)), ...wanted };
      return checked(text, inItsPlace(text, merged), merged);
    }
    case "foreign":
      return { ok: true, text, note: foreignNote(name) };
  }
}

function takeServer(text: string, original: string | null, wanted: ServerEntry): Edited<string | null> {
  const reading = readToml(text);
  if (!reading.ok) return reading;
  const state = serverState(valueAt(reading.value, entryPath), wanted);
  if (state === "absent" || state === "foreign") return { ok: true, text };
  const before = readToml(original ?? "");
  const earlier = before.ok ? structuredClone(valueAt(before.value, entryPath)) : undefined;
  if (isRecord(earlier) && isByHand(earlier)) return checked(text, inItsPlace(text, earlier), earlier);
  const left = inItsPlace(text, null);
  return original === null && left?.trim() === "" ? { ok: true, text: null } : checked(text, left, undefined);
}

type TomlReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: FileProblem };

function readToml(text: string): TomlReading {
  try {
    return { ok: true, value: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line of the message is the error; the others show the position.
    const problem = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    return { ok: false, problem: { line: error.line, column: error.column, problem } };
  }
}

function appended(text: string, entry: ServerEntry): string {
  const eol = eolOf(text);
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + block(entry, eol);
}

const header = /^[\t\x20]*\[[\t\x20]*["']?mcp_servers["']?[\t\x20]*\.[\t\x20]*["']?holdfast["']?[\t\x20]*\][^\n]*$/m;

/** Replaces or removes the table under our header; null if the entry is not written as such a table. */
function inItsPlace(text: string, entry: object | null): string | null {
  const found = header.exec(text);
  if (found === null) return null;
  const eol = eolOf(text);
  const from = found.index;
  const rest = text.slice(from + found[0].length);
  const next = /^[\t\x20]*\[(?![^\n]*mcp_servers["'\t\x20]*\.["'\t\x20]*holdfast)/m.exec(rest);
  const table = next === null ? rest : rest.slice(0, next.index);
  // Trailing blank lines and comments belong to the next table.
  const own = table.replace(/(\r?\n[\t\x20]*(#[^\n]*)?)*$/, "");
  const after = rest.slice(own.length);
  if (entry !== null) return text.slice(0, from) + block(entry, eol).trimEnd() + after;
  const before = text.slice(0, from);
  // Also remove the blank line that was added before the table.
  return after.trim() === ""
    ? before.replace(/(?<=\n)\r?\n$/, "") + after.replace(/^\r?\n/, "")
    : before + after.trimStart();
}

function block(entry: object, eol: string): string {
  return (
    stringify({ mcp_servers: { [serverName]: entry } })
      .trim()
      .replaceAll("\n", eol) + eol
  );
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The new text, if parsing it shows that our entry is right and nothing else changed. */
function checked(text: string, edited: string | null, entry: object | undefined): Edited {
  const before = readToml(text);
  const after = edited === null ? null : readToml(edited);
  if (edited !== null && before.ok && after?.ok && isDeepStrictEqual(stripped(after.value), stripped(before.value))) {
    if (isDeepStrictEqual(structuredClone(valueAt(after.value, entryPath)), entry)) return { ok: true, text: edited };
  }
  const wanted = entry === undefined ? "remove the entry by hand" : `add by hand: ${block(entry, "\n").trim()}`;
  const problem = `mcp_servers is written in a way that cannot be edited safely; ${wanted}`;
  return { ok: false, problem: { line: lineOf(text), column: 1, problem } };
}

/** Everything but our entry. A table of servers without others counts as absent. */
function stripped(value: unknown): unknown {
  const { mcp_servers: servers, ...others }: Record<string, unknown> = structuredClone(Object(value));
  if (!isRecord(servers)) return { ...others, servers };
  const { [serverName]: _ours, ...theirs } = servers;
  return { ...others, servers: Object.keys(theirs).length === 0 ? undefined : theirs };
}

function lineOf(text: string): number {
  const place = text.split("\n").findIndex((line) => line.includes("mcp_servers"));
  return Math.max(place, 0) + 1;
}
