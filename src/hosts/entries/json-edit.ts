import { createScanner, type Node } from "jsonc-parser";
import { type JsonPath, nodeAt } from "./json-text.ts";

/**
 * Edits that touch nothing but their own place: what others wrote keeps its bytes, comments stay with what they stand
 * behind, and taking out is the exact reverse of putting in. The library's own edits lay neighbours out anew.
 */

/** Puts a new item at the end of the list at `path`. */
export function appendItem(text: string, path: JsonPath, value: unknown): string {
  return append(text, path, (layout) => written(value, layout));
}

/** Puts a new key at the end of the object at `path`. */
export function addProperty(text: string, path: JsonPath, key: string, value: unknown): string {
  return append(text, path, (layout) => `${JSON.stringify(key)}${layout.tight ? ":" : ": "}${written(value, layout)}`);
}

export function replaceValue(text: string, path: JsonPath, value: unknown): string {
  const { offset, length } = nodeAt(text, path);
  const indent = indentAt(text, offset);
  const tight = !text.slice(offset, offset + length).includes("\n") && !text.includes("\n");
  return splice(text, offset, offset + length, written(value, { ...layoutOf(text), indent, tight }));
}

/** Takes out the item or the key at `path`. */
export function removeAt(text: string, path: JsonPath): string {
  const container = nodeAt(text, path.slice(0, -1));
  const value = nodeAt(text, path);
  const node = value.parent?.type === "property" ? value.parent : value;
  const siblings = container.children ?? [];
  const place = siblings.findIndex(({ offset }) => offset === node.offset);
  const end = node.offset + node.length;
  const from = lastSignBefore(text, node.offset);
  const following = commaIn(text, end, siblings[place + 1]?.offset ?? endOf(container) - 1);
  if (following !== null) return closed(splice(splice(text, following, following + 1, ""), from, end, ""), path);
  const before = siblings[place - 1];
  const preceding = before === undefined ? null : commaIn(text, before.offset + before.length, node.offset);
  const without = splice(text, from, end, "");
  return closed(preceding === null ? without : splice(without, preceding, preceding + 1, ""), path);
}

interface Layout {
  readonly unit: string;
  readonly eol: string;
  /** Of the line that the value begins on. */
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
    return splice(text, lastSignBefore(text, close), close, added);
  }
  const end = last.offset + last.length;
  const tight = !text.slice(container.offset, close).includes("\n");
  const indent = tight ? "" : indentAt(text, last.offset);
  const value = write({ unit, eol, indent, tight });
  const comma = commaIn(text, end, close);
  const place = lastSignBefore(text, close);
  const added = `${tight ? (text.includes("\n") ? " " : "") : eol + indent}${value}${comma === null ? "" : ","}`;
  const longer = splice(text, place, place, added);
  return comma === null ? splice(longer, end, end, ",") : longer;
}

function written(value: unknown, { unit, eol, indent, tight }: Layout): string {
  return tight ? JSON.stringify(value) : JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** As the file itself is laid out, else as most are. */
function layoutOf(text: string): Pick<Layout, "unit" | "eol"> {
  const unit = /^(?:\t|\x20{1,8})(?=\S)/m.exec(text)?.[0] ?? "  ";
  return { unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[\t\x20]*/.exec(line)?.[0] ?? "";
}

/** Where the last sign before a place ends that is no blank: an item, a comma, a bracket or a comment. */
function lastSignBefore(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length;
}

/** The comma between two places, comments aside. */
function commaIn(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to));
  do {
    scanner.scan();
    const place = from + scanner.getTokenOffset();
    if (place < to && text[place] === ",") return place;
  } while (scanner.getTokenLength() > 0);
  return null;
}

/** A container that was emptied is written without a gap; comments in it stay. */
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
