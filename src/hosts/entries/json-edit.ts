import { createScanner, type Node } from "jsonc-parser";
import { type JsonPath, nodeAt, readJson, valueAt } from "./json-text.ts";

/**
 * Edits that change only their own place: all other bytes stay, comments stay with what they follow, and removing is the
 * exact reverse of adding. The edits of jsonc-parser reformat their neighbours.
 */

/** Appends an item to the list at `path`. */
export function appendItem(text: string, path: JsonPath, value: unknown): string {
  return append(text, path, (layout) => written(value, layout));
}

/** Appends a key to the object at `path`. */
export function addProperty(text: string, path: JsonPath, key: string, value: unknown): string {
  return append(text, path, (layout) => `${JSON.stringify(key)}${layout.tight ? ":" : ": "}${written(value, layout)}`);
}

export function replaceValue(text: string, path: JsonPath, value: unknown): string {
  const { offset, length } = nodeAt(text, path);
  const indent = indentAt(text, offset);
  const tight = !text.slice(offset, offset + length).includes("\n") && !text.includes("\n");
  return splice(text, offset, offset + length, written(value, { ...layoutOf(text), indent, tight }));
}

/** Removes the item or the key at `path`. */
export function removeAt(text: string, path: JsonPath): string {
  const container = nodeAt(text, path.slice(0, -1));
  const value = nodeAt(text, path);
  const node = value.parent?.type === "property" ? value.parent : value;
  const siblings = container.children ?? [];
  const place = siblings.findIndex(({ offset }) => offset === node.offset);
  const end = node.offset + node.length;
  const from = endOfTextBefore(text, node.offset);
  const following = commaIn(text, end, siblings[place + 1]?.offset ?? endOf(container) - 1);
  if (following !== null) return closed(splice(splice(text, following, following + 1, ""), from, end, ""), path);
  const before = siblings[place - 1];
  const preceding = before === undefined ? null : commaIn(text, before.offset + before.length, node.offset);
  const without = splice(text, from, end, "");
  return closed(preceding === null ? without : splice(without, preceding, preceding + 1, ""), path);
}

/**
 * Removes the item or the key at `path`, and what is empty after that unless the original had it. Null if nothing is left
 * of a file that was not there before.
 */
export function removePruned(text: string, path: JsonPath, original: string | null): string | null {
  const before = readJson(original ?? "");
  const had = (place: JsonPath) => before.ok && valueAt(before.value, place) !== undefined;
  let left = removeAt(text, path);
  for (let place = path.slice(0, -1); place.length > 0 && !had(place) && isEmptyAt(left, place); ) {
    left = removeAt(left, place);
    place = place.slice(0, -1);
  }
  return original === null && isEmptyAt(left, []) ? null : left;
}

function isEmptyAt(text: string, path: JsonPath): boolean {
  return (nodeAt(text, path).children ?? []).length === 0;
}

interface Layout {
  readonly unit: string;
  readonly eol: string;
  /** The indent of the line on which the value starts. */
  readonly indent: string;
  /** All on one line, without spaces. */
  readonly tight: boolean;
}

function append(text: string, path: JsonPath, write: (layout: Layout) => string): string {
  const container = nodeAt(text, path);
  const last = container.children?.at(-1);
  const close = endOf(container) - 1;
  const { unit, eol } = layoutOf(text);
  if (last === undefined) {
    const indent = indentAt(text, container.offset);
    const added = `${eol}${indent}${unit}${write({ unit, eol, indent: indent + unit, tight: false })}${eol}${indent}`;
    return splice(text, endOfTextBefore(text, close), close, added);
  }
  const end = last.offset + last.length;
  const tight = !text.slice(container.offset, close).includes("\n");
  const indent = tight ? "" : indentAt(text, last.offset);
  const value = write({ unit, eol, indent, tight });
  const comma = commaIn(text, end, close);
  const place = endOfTextBefore(text, close);
  const added = `${tight ? (text.includes("\n") ? " " : "") : eol + indent}${value}${comma === null ? "" : ","}`;
  const longer = splice(text, place, place, added);
  return comma === null ? splice(longer, end, end, ",") : longer;
}

function written(value: unknown, { unit, eol, indent, tight }: Layout): string {
  return tight ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** The indentation and line breaks of the file, or two spaces and `\n`. */
function layoutOf(text: string): Pick<Layout, "unit" | "eol"> {
  const unit = /^(?:\t|\x20{1,8})(?=\S)/m.exec(text)?.[0] ?? "  ";
  return { unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[\t\x20]*/.exec(line)?.[0] ?? "";
}

/** The end of the last non-blank character before an offset: of an item, a comma, a bracket or a comment. */
function endOfTextBefore(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length;
}

/** The offset of the comma between two offsets, ignoring comments. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to));
  do {
    scanner.scan();
    const place = from + scanner.getTokenOffset();
    if (place < to && text[place] === ",") return place;
  } while (scanner.getTokenLength() > 0);
  return null;
}

/** Removes the blank space in a container that became empty; comments in it stay. */
function closed(text: string, path: JsonPath): string {
  const { offset, length, children = [] } = nodeAt(text, path.slice(0, -1));
  const inside = text.slice(offset + 1, offset + length - 1);
  return children.length === 0 && inside.trim() === "" ? splice(text, offset + 1, offset + length - 1, "") : text;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}
