import { Composer, CST, type Document, Parser } from "yaml";
import { offsetInside } from "./inside.ts";
import { positionsIn } from "./position.ts";
import { type Finding, type Position, type Problem, pathKey, pathText } from "./problem.ts";
import { aliasLimit, type Objection, type Spot, type Survey, survey, tooManyAliases } from "./survey.ts";
import { syntaxProblems } from "./syntax.ts";
import { readText } from "./text.ts";

/** No workflow is nested this deeply. The YAML parser is recursive, and Node can crash near the end of the stack. */
const depthLimit = 100;

export type Source = ReadableSource | { readonly readable: false; readonly problems: readonly Problem[] };

/** A parsed YAML text: its value, its YAML problems, and `place`, which gives a finding its position. */
export interface ReadableSource {
  readonly readable: true;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly place: (finding: Finding) => Problem;
}

export function readSource(content: Uint8Array | string): Source {
  const file = readText(content);
  return file.readable ? parse(file.text) : { readable: false, problems: [file.problem] };
}

function parse(text: string): Source {
  const position = positionsIn(text);
  const tokens = [...new Parser().parse(text)];
  const deep = tokens.map(tooDeep).find((offset) => offset !== null);
  if (deep !== undefined) return broken("the file is nested too deeply", position(deep ?? 0));
  const [document, second] = new Composer(options).compose(tokens, true, text.length);
  const syntax = document === undefined ? [] : syntaxProblems(document, second ?? null, text, position);
  if (document === undefined || syntax.length > 0) return { readable: false, problems: syntax };
  const surveyed = survey(document, text);
  const problems = surveyed.objections.map((objection) => problemOf(objection, position));
  if (surveyed.objections.some(({ fatal }) => fatal)) return { readable: false, problems };
  return readValue(document, problems, placing(surveyed, text, position));
}

/** Plain YAML 1.2, also where the file asks for another version. */
const options = {
  schema: "core",
  version: "1.2",
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  stringKeys: true,
  /** `survey` checks this faster. */
  uniqueKeys: false,
} as const;

function readValue(
  document: Document.Parsed,
  problems: readonly Problem[],
  place: (finding: Finding) => Problem,
): Source {
  try {
    return { readable: true, value: document.toJS({ maxAliasCount: aliasLimit }), problems, place };
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    return broken(`invalid YAML: ${tooManyAliases}`, { line: 1, column: 1 });
  }
}

function broken(message: string, position: Position): Source {
  return { readable: false, problems: [{ severity: "error", path: "", message, position }] };
}

/** The offset of the first collection that is too deep, found without recursion. */
function tooDeep(root: CST.Token): number | null {
  let level: (CST.Token | null | undefined)[] = [root.type === "document" ? root.value : null];
  for (let depth = 0; level.length > 0; depth++) {
    const collections = level.filter((token) => CST.isCollection(token));
    if (depth >= depthLimit) return collections[0]?.offset ?? null;
    level = collections.flatMap(({ items }) => items.flatMap(({ key, value }) => [key, value]));
  }
  return null;
}

function problemOf({ offset, path, message }: Objection, position: (offset: number) => Position): Problem {
  return { severity: "error", path: pathText(path), message: `invalid YAML: ${message}`, position: position(offset) };
}

function placing(
  surveyed: Survey,
  text: string,
  position: (offset: number) => Position,
): (finding: Finding) => Problem {
  const excerpts = new Map<Spot, ReadonlyMap<string, readonly number[]>>();
  const excerptAt = (spot: Spot, { text: piece, occurrence }: NonNullable<Finding["excerpt"]>) => {
    const known = excerpts.get(spot) ?? bracedPieces(text, spot);
    excerpts.set(spot, known);
    return known.get(piece)?.[occurrence] ?? spot.start;
  };
  const offsetAt = (spot: Spot, { at, excerpt, inside }: Finding): number => {
    if (excerpt !== undefined) return excerptAt(spot, excerpt);
    if (inside !== undefined) return spot.start + offsetInside(text.slice(spot.start, spot.end), inside);
    return at === "key" ? (spot.key ?? spot.start) : spot.start;
  };
  const offsetOf = (finding: Finding): number => {
    const { path } = finding;
    for (let depth = path.length; depth >= 0; depth--) {
      const spot = surveyed.spots.get(pathKey(path.slice(0, depth)));
      if (spot !== undefined) return depth < path.length ? spot.start : offsetAt(spot, finding);
    }
    return 0;
  };
  return (finding) => {
    const { severity, message, path } = finding;
    return { severity, path: pathText(path), message, position: position(offsetOf(finding)) };
  };
}

/** The offsets of every `{piece}` in a text. A doubled brace is an escaped brace and starts no piece. */
function bracedPieces(text: string, { body, end }: Spot): ReadonlyMap<string, readonly number[]> {
  const pieces = new Map<string, number[]>();
  const source = text.slice(body, end).replaceAll("{{", "  ");
  for (const { 0: piece, index } of source.matchAll(/\{[^{}\r\n]*\}/g)) {
    const offsets = pieces.get(piece) ?? [];
    offsets.push(body + index);
    pieces.set(piece, offsets);
  }
  return pieces;
}
