import { type Document, visit, type YAMLError } from "yaml";
import type { Position, Problem } from "./problem.ts";

/** YAML syntax errors, at most one per line: further ones on the same line mostly follow from the first. */
export function syntaxProblems(
  document: Document.Parsed,
  second: Document.Parsed | null,
  text: string,
  position: (offset: number) => Position,
): Problem[] {
  const found = [...document.errors, ...document.warnings];
  const begins = found.some(isOpenQuote) ? quotationMarks(document) : new Map<number, number>();
  const problems = found.map((error) => ({
    offset: (isOpenQuote(error) ? begins.get(error.pos[0]) : undefined) ?? error.pos[0],
    message: `invalid YAML: ${wording(error, text)}`,
  }));
  if (second !== null) {
    problems.push({
      offset: second.range[0],
      message: "the file has several YAML documents; a workflow is one document",
    });
  }
  const byLine = new Map<number, Problem>();
  for (const { offset, message } of problems.sort((a, b) => a.offset - b.offset)) {
    const at = position(offset);
    if (!byLine.has(at.line)) byLine.set(at.line, { severity: "error", path: "", message, position: at });
  }
  return [...byLine.values()];
}

/** The parser reports a missing closing quote at the end of the file; we report where the quote was opened. */
function isOpenQuote({ code, message }: YAMLError): boolean {
  return code === "MISSING_CHAR" && message.endsWith("quote");
}

/** The start offset of each quoted text, keyed by its end offset. */
function quotationMarks(document: Document.Parsed): Map<number, number> {
  const begins = new Map<number, number>();
  visit(document, {
    Scalar(_, { range }) {
      if (range) begins.set(range[1], range[0]);
    },
  });
  return begins;
}

function wording({ code, message, pos }: YAMLError, text: string): string {
  const closing = /end with a ([\]}])|closing (["'])/.exec(message);
  if (closing !== null) return `a closing ${closing[1] ?? closing[2] ?? ""} is missing`;
  if (message.endsWith("at node end")) return "the value ends before this; put the whole text in quotes";
  const known: Readonly<Partial<Record<YAMLError["code"], string>>> = {
    TAB_AS_INDENT: "indent with spaces, not with tabs",
    BAD_SCALAR_START: `text that begins with ${text[pos[0]] ?? ""} must be in quotes`,
    BLOCK_AS_IMPLICIT_KEY: "text with a colon in it must be in quotes; or is the next line indented too far?",
    BLOCK_IN_FLOW: "is a comma missing between the brackets?",
    MULTILINE_IMPLICIT_KEY: "a key needs a colon and a space after it, on the same line",
    NON_STRING_KEY: "a key must be plain text; put it in quotes",
    TAG_RESOLVE_FAILED: "tags (!) are not supported; write the plain value, or put the text in quotes",
    UNEXPECTED_TOKEN: `${shortened(message)}; does the text need quotes?`,
  };
  return known[code] ?? shortened(message);
}

/** Some of the parser's messages repeat the input at full length. */
function shortened(message: string): string {
  const line = message.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
  const lower = `${line.charAt(0).toLowerCase()}${line.slice(1)}`;
  return lower.length > 200 ? `${lower.slice(0, 200).replace(/\p{Cs}$/u, "")}…` : lower;
}
