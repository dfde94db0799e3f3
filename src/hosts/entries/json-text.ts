import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isRecord } from "../../model/json.ts";
import { type FileProblem, problemAt } from "../contract/host.ts";

export type JsonPath = readonly (string | number)[];

export type JsonReading =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: FileProblem };

/** Parses a JSON object with comments and trailing commas; a blank text is an empty object. */
export function readJson(text: string): JsonReading {
  if (text.trim() === "") return { ok: true, value: {} };
  try {
    return parse(text);
  } catch (error) {
    // A cloned project could have a file that no parser has the stack for.
    if (error instanceof RangeError) return problemAt(text, 0, "it is nested too deeply");
    throw error;
  }
}

function parse(text: string): JsonReading {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return problemAt(text, first.offset, wordOf(first));
  if (tree === undefined || tree.type !== "object")
    return problemAt(text, tree?.offset ?? 0, "it is not a JSON object");
  const twice = repeatedKey(tree);
  if (twice !== null)
    return problemAt(
      text,
      twice.offset,
      `the key ${text.slice(twice.offset, twice.offset + twice.length)} is used twice`,
    );
  // The objects of jsonc-parser have no prototype, so they would not be deeply equal to others.
  const value: unknown = structuredClone(getNodeValue(tree));
  return isRecord(value) ? { ok: true, value } : problemAt(text, 0, "it is not a JSON object");
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((inside, key) => {
    if (Array.isArray(inside)) return inside[Number(key)];
    return isRecord(inside) && Object.hasOwn(inside, key) ? inside[String(key)] : undefined;
  }, value);
}

/** For a text that was parsed before, and a path that exists. */
export function nodeAt(text: string, path: JsonPath): Node {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  if (node === undefined) throw new Error(`there is nothing at ${path.join(".")}`);
  return node;
}

/** Of two equal keys a host uses the last, but edits would find the first. */
function repeatedKey(node: Node): Node | null {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const [key] = child.type === "property" ? (child.children ?? []) : [];
    if (key !== undefined && seen.has(key.value)) return key;
    if (key !== undefined) seen.add(key.value);
    const inside = repeatedKey(child);
    if (inside !== null) return inside;
  }
  return null;
}

/** `CommaExpected` reads as "comma expected". */
function wordOf({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}
