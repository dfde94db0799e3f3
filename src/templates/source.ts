import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import { isReservedName } from "../model/ids.ts";
import { error, type Finding, type Path, type Position, type Problem, pathText } from "./problem.ts";

/** Larger files are not workflows; reading them would only take time and memory. */
const sizeLimit = 1024 * 1024;
const aliasLimit = 100;
/** Behind a syntax error most others are its echo. */
const syntaxErrorsShown = 20;
const tooDeep = "the file is nested too deeply";

/** A parsed YAML text: its plain value, what is wrong with it as YAML, and where everything stands. */
export interface Source {
  /** Undefined when the text is too broken to look any further. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  place(finding: Finding): Problem;
}

export function readSource(content: Uint8Array | string): Source {
  const text = typeof content === "string" ? content : decode(content);
  if (text === null) return unreadable("the file is not UTF-8 text");
  if (text.length > sizeLimit || content.length > sizeLimit) {
    return unreadable(`the file is larger than ${sizeLimit / 1024 / 1024} MiB`);
  }
  if (text.includes("\0")) return unreadable("the file contains binary data");
  return parse(text);
}

function parse(text: string): Source {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    if (document.errors.some(({ message }) => message.includes("call stack"))) return unreadable(tooDeep);
    const place = (finding: Finding) => placeIn(document, lines, text, finding);
    const problems = [...yamlProblems(document, lines), ...reservedKeys(document).map(place)];
    const fatal = [...document.errors, ...document.warnings].some(({ code }) => code !== "DUPLICATE_KEY");
    if (fatal) return { value: undefined, problems, place };
    return { value: document.toJS({ maxAliasCount: aliasLimit }), problems, place };
  } catch (cause) {
    // The parser is recursive, and its guard against exploding aliases throws a ReferenceError.
    if (cause instanceof RangeError) return unreadable(tooDeep);
    if (cause instanceof ReferenceError) return unreadable("the file has too many YAML aliases");
    throw cause;
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return null;
    throw cause;
  }
}

function unreadable(message: string): Source {
  const place = ({ severity, path, message: text }: Finding): Problem => ({
    severity,
    path: pathText(path),
    message: text,
    position: { line: 1, column: 1 },
  });
  return { value: undefined, problems: [place(error([], message))], place };
}

function yamlProblems(document: Document.Parsed, lines: LineCounter): Problem[] {
  return [...document.errors, ...document.warnings].slice(0, syntaxErrorsShown).map(({ code, message, pos }) => ({
    severity: "error",
    path: "",
    message: yamlWording[code] ?? `invalid YAML: ${message}`,
    position: positionAt(lines, pos[0]),
  }));
}

const yamlWording: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key stands here twice; keep one of them",
  MULTIPLE_DOCS: "the file has several YAML documents; a workflow is one document",
  TAG_RESOLVE_FAILED: "YAML tags are not understood here; write the plain value",
  NON_STRING_KEY: "a key must be plain text; put it in quotes",
};

/** Looked for in the text, because such a key may never reach a plain object. */
function reservedKeys(document: Document.Parsed): Finding[] {
  const findings: Finding[] = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.key) || !isReservedName(String(pair.key.value))) return;
      const path = [...pathOf(ancestors, pair), String(pair.key.value)];
      findings.push(error(path, `"${String(pair.key.value)}" is a reserved name; use another`, { at: "key" }));
    },
  });
  return findings;
}

function pathOf(ancestors: readonly unknown[], child: unknown): Path {
  const path: (string | number)[] = [];
  for (const [index, node] of ancestors.entries()) {
    const next = ancestors[index + 1] ?? child;
    if (isMap(node) && next !== child) path.push(keyOf(next));
    if (isSeq(node)) path.push(node.items.indexOf(next));
  }
  return path;
}

function keyOf(pair: unknown): string {
  return typeof pair === "object" && pair !== null && "key" in pair && isScalar(pair.key) ? String(pair.key.value) : "";
}

function placeIn(document: Document.Parsed, lines: LineCounter, text: string, finding: Finding): Problem {
  const { severity, message } = finding;
  const position = positionAt(lines, offsetOf(document, text, finding));
  return { severity, path: pathText(finding.path), message, position };
}

function offsetOf(document: Document.Parsed, text: string, { path, at, excerpt }: Finding): number {
  if (at === "key") {
    const parent = nodeAt(document, path.slice(0, -1));
    const pair = isMap(parent) ? parent.items.find((item) => keyOf(item) === String(path.at(-1))) : undefined;
    if (isNode(pair?.key) && pair.key.range) return pair.key.range[0];
  }
  for (let depth = path.length; depth >= 0; depth--) {
    const node = nodeAt(document, path.slice(0, depth));
    if (!node?.range) continue;
    const [start] = node.range;
    return depth === path.length && excerpt ? findNth(text, excerpt.text, start, excerpt.occurrence) : start;
  }
  return 0;
}

function nodeAt(document: Document.Parsed, path: Path): Node | null {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node : null;
}

function findNth(text: string, piece: string, start: number, occurrence: number): number {
  let found = text.indexOf(piece, start);
  for (let seen = 0; seen < occurrence && found !== -1; seen++) found = text.indexOf(piece, found + piece.length);
  return found === -1 ? start : found;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
