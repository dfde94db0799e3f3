import { type Alias, type Document, isAlias, isCollection, isMap, isNode, isScalar, type Node, type Pair } from "yaml";
import { bare, quote } from "../model/quote.ts";
import { type Path, pathKey } from "./problem.ts";

/** The offsets of a value in the source. The body of a block text begins below its `|` or `>`. */
export interface Spot {
  readonly key: number | null;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** Something that YAML allows and a workflow does not. After a fatal one the values cannot be read. */
export interface Objection {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
  readonly fatal: boolean;
}

export interface Survey {
  /** Keyed by `pathKey`. */
  readonly spots: ReadonlyMap<string, Spot>;
  readonly objections: readonly Objection[];
}

/** How many aliases may be resolved, nested ones included; resolving many more takes too long. */
export const aliasLimit = 100;
export const tooManyAliases = `aliases are used more than ${aliasLimit} times`;

/** Walks a document once and collects the offsets of all values and everything that is not allowed. */
export function survey(document: Document.Parsed, text: string): Survey {
  const walk: Walk = { text, spots: new Map(), objections: [], anchors: new Map(), open: new Set(), aliases: 0 };
  visit(walk, document.contents, [], null);
  return walk;
}

interface Walk {
  readonly text: string;
  readonly spots: Map<string, Spot>;
  readonly objections: Objection[];
  readonly anchors: Map<string, Node>;
  /** The collections around the current node. */
  readonly open: Set<Node>;
  aliases: number;
}

function visit(walk: Walk, node: unknown, path: Path, key: number | null): void {
  walk.spots.set(pathKey(path), spotOf(walk.text, node, key));
  if (!isNode(node)) return;
  if (isAlias(node)) {
    visitAlias(walk, node, path);
    return;
  }
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (!isCollection(node)) return;
  walk.open.add(node);
  if (isMap(node)) visitPairs(walk, node.items, path);
  else for (const [index, item] of node.items.entries()) visit(walk, item, [...path, index], null);
  walk.open.delete(node);
}

function visitPairs(walk: Walk, pairs: readonly Pair[], path: Path): void {
  const seen = new Set<string>();
  for (const { key, value } of pairs) {
    if (!isScalar(key)) {
      object(walk, isNode(key) ? key : null, path, "a key must be plain text; put it in quotes");
      continue;
    }
    const name = String(key.value);
    const here = [...path, name];
    if (name === "<<" && key.type === "PLAIN")
      object(walk, key, here, "merge keys (<<) are not supported; write the keys out");
    else if (seen.has(name)) object(walk, key, here, `the key ${quote(name)} occurs twice; keep one of them`, false);
    seen.add(name);
    if (key.anchor !== undefined) walk.anchors.set(key.anchor, key);
    visit(walk, value, here, key.range?.[0] ?? null);
  }
}

function visitAlias(walk: Walk, node: Alias, path: Path): void {
  const target = walk.anchors.get(node.source);
  const alias = `the alias ${bare(`*${node.source}`)}`;
  walk.aliases += 1;
  if (walk.aliases === aliasLimit + 1) object(walk, node, path, tooManyAliases);
  if (target === undefined) object(walk, node, path, `${alias} is not defined; put text that begins with * in quotes`);
  else if (walk.open.has(target)) object(walk, node, path, `${alias} refers to a value that contains it`);
}

function object(walk: Walk, node: Node | null, path: Path, message: string, fatal = true): void {
  walk.objections.push({ offset: node?.range?.[0] ?? 0, path, message, fatal });
}

/** An omitted value has no position of its own; use that of its key. */
function spotOf(text: string, node: unknown, key: number | null): Spot {
  const range = isNode(node) ? node.range : null;
  const [start, end] = range ?? [key ?? 0, key ?? 0];
  if (start === end && key !== null) return { key, start: key, body: key, end: key };
  const block = isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED");
  return { key, start, body: block ? text.indexOf("\n", start) + 1 : start, end };
}
