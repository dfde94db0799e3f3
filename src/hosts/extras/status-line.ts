import { isRecord } from "../../model/json.ts";
import { type Edited, problemAt } from "../contract/host.ts";
import { addProperty, removePruned, replaceValue } from "../entries/json-edit.ts";
import { nodeAt, readJson, valueAt } from "../entries/json-text.ts";

/** The person's own status line in settings that ours would hide. */
export interface InheritedLine {
  /** The file that has it, as a person would name it. */
  readonly file: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

const key = "statusLine";
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
const ours = 'node "${CLAUDE_PROJECT_DIR:-.}/.holdfast/mcp.mjs" statusline';

/** Shows the run in Claude Code's status line. A person's own line stays, above ours. */
export function putStatusLine(present: string | null, inherited: InheritedLine | null): Edited {
  const text = present === null || present.trim() === "" ? "{}\n" : present;
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const entry = reading.value[key];
  if (entry === undefined) return { ok: true, text: addProperty(text, [], key, freshEntry(inherited)) };
  if (!isRecord(entry)) return problemAt(text, nodeAt(text, [key]).offset, `"${key}" is not an object`);
  if (typeof entry.command !== "string") return { ok: true, text, note: 'its "statusLine" runs no command' };
  const chain = readChain(entry.command);
  if (chain === null) {
    const isByHand = showsOurs(entry.command);
    return { ok: true, text: isByHand ? text : replaceValue(text, [key, "command"], chained(entry.command, null)) };
  }
  const wanted = chain.isInherited || chain.own === null ? freshEntry(inherited).command : chained(chain.own, null);
  return { ok: true, text: entry.command === wanted ? text : replaceValue(text, [key, "command"], wanted) };
}

/** Gives a person's own status line back; one that stands in another file comes back by itself. */
export function takeStatusLine(text: string, original: string | null): Edited<string | null> {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const command = valueAt(reading.value, [key, "command"]);
  const chain = typeof command === "string" ? readChain(command) : null;
  if (chain === null) return { ok: true, text };
  if (chain.own !== null && !chain.isInherited) {
    return { ok: true, text: replaceValue(text, [key, "command"], chain.own) };
  }
  return { ok: true, text: removePruned(text, [key], original) };
}

/** The status line in some settings, if it is not ours. */
export function findInherited({ file, text }: { file: string; text: string | null }): InheritedLine | null {
  const reading = readJson(text ?? "");
  const entry = reading.ok ? reading.value[key] : undefined;
  if (!isRecord(entry) || typeof entry.command !== "string" || showsOurs(entry.command)) return null;
  return { file, entry };
}

/** Whether a status line of the person's own already calls Holdfast. */
function showsOurs(command: string): boolean {
  return /\bholdfast(\.js)?["']? statusline\b/.test(command);
}

function freshEntry(inherited: InheritedLine | null): Readonly<Record<string, unknown>> & { command: string } {
  if (inherited === null) return { type: "command", command: ours };
  return { ...inherited.entry, command: chained(String(inherited.entry.command), inherited.file) };
}

const [start, inputPart, printPart] = [": 'your status line", 'input=$(cat); mine=$(printf %s "$input" | eval ', ")"];
const end = `; [ -z "$mine" ] || printf '%s\\n' "$mine"; printf %s "$input" | ${ours} 2>/dev/null || :`;

/** A shell line that shows theirs with the input it is used to, then ours. If ours fails, theirs is still shown. */
function chained(own: string, file: string | null): string {
  const from = file === null ? "" : ` from ${file.replaceAll("'", "")}`;
  return `${start}${from}, then that of Holdfast'; ${inputPart}${shellQuoted(own)}${printPart}${end}`;
}

interface Chain {
  /** The person's own command; null if ours stands alone. */
  readonly own: string | null;
  readonly isInherited: boolean;
}

/** Null if `init` did not write this command. */
function readChain(command: string): Chain | null {
  if (command === ours) return { own: null, isInherited: false };
  const [about = "", rest] = splitOnce(command, `; ${inputPart}`);
  if (rest === undefined || !about.startsWith(start) || !rest.includes(".holdfast/mcp.mjs")) return null;
  const quoted = /^'((?:[^']|'\\'')*)'/.exec(rest)?.[1];
  if (quoted === undefined) return null;
  return { own: quoted.replaceAll("'\\''", "'"), isInherited: about.startsWith(`${start} from `) };
}

function splitOnce(text: string, at: string): [string, string?] {
  const place = text.indexOf(at);
  return place === -1 ? [text] : [text.slice(0, place), text.slice(place + at.length)];
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
