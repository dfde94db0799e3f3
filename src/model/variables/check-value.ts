import type { VariableValue } from "../ids.ts";
import { didYouMean } from "../nearest.ts";
import { isRelativePath } from "../path-text.ts";
import { compilePattern, matchesWhole } from "../pattern/pattern.ts";
import { joinWords, quote } from "../quote.ts";
import type { VariableDeclaration } from "../template.ts";

export type CheckedValue =
  | { readonly ok: true; readonly value: VariableValue }
  | { readonly ok: false; readonly problem: string };

/** The longest value that is matched with a pattern, read as a path or executed. */
const longestValue = 1_000;

/**
 * The value as its declaration wants it, or why it does not fit. The command line sends everything as text, and a model
 * sends numbers as it likes, so "3" is a number and 3 is a text.
 */
export function checkValue(declaration: VariableDeclaration, sent: VariableValue): CheckedValue {
  switch (declaration.type) {
    case "number":
      return checkNumber(sent);
    case "flag":
      return checkFlag(sent);
    case "choice":
      return checkChoice(declaration, String(sent));
    case "path":
      return checkPath(declaration, String(sent));
    case "text":
      return checkText(declaration, String(sent));
    case "command":
      return checkCommand(sent);
  }
}

function checkNumber(sent: VariableValue): CheckedValue {
  const isNumber = typeof sent === "string" ? /^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i.test(sent.trim()) : true;
  const value = isNumber ? Number(sent) : Number.NaN;
  return typeof sent !== "boolean" && Number.isFinite(value) ? fits(value) : wrong("must be a number", sent);
}

function checkFlag(sent: VariableValue): CheckedValue {
  const value = new Map<VariableValue, boolean>([
    ["true", true],
    ["false", false],
  ]).get(typeof sent === "string" ? sent.trim().toLowerCase() : sent);
  if (typeof sent === "boolean") return fits(sent);
  return value === undefined ? wrong("must be true or false", sent) : fits(value);
}

function checkChoice({ choices = [] }: VariableDeclaration, sent: string): CheckedValue {
  if (choices.includes(sent)) return fits(sent);
  const { problem } = wrong(`must be ${joinWords(choices, "or")}`, sent);
  return { ok: false, problem: `${problem}${didYouMean(sent, choices)}` };
}

/** An absolute path of this project arrives with a placeholder for the project; the stored path is relative. */
function checkPath(declaration: VariableDeclaration, sent: string): CheckedValue {
  const path = sent.replace(/^\{project_root\}\/+/, "");
  if (path === "") return fitsIfOptional(declaration);
  if (!isRelativePath(path)) return wrong("must be a relative path inside the project", path);
  return checkPattern(declaration, path);
}

function checkText(declaration: VariableDeclaration, sent: string): CheckedValue {
  return sent.trim() === "" && declaration.pattern === undefined
    ? fitsIfOptional(declaration, sent)
    : checkPattern(declaration, sent);
}

function fitsIfOptional({ required }: VariableDeclaration, sent = ""): CheckedValue {
  return required === true ? { ok: false, problem: "must not be empty" } : fits(sent);
}

function checkCommand(sent: VariableValue): CheckedValue {
  if (typeof sent !== "string") return wrong("must be a command line", sent);
  if (sent.trim() === "") return { ok: false, problem: "must not be empty" };
  if (sent.includes("\0")) return { ok: false, problem: "must not contain a zero byte" };
  return sent.length > longestValue ? tooLong(sent) : fits(sent);
}

/** A pattern that cannot be compiled accepts nothing: it came with a run from elsewhere, since lint reports it. */
function checkPattern({ pattern }: VariableDeclaration, sent: string): CheckedValue {
  if (pattern === undefined) return fits(sent);
  if (sent.length > longestValue) return tooLong(sent);
  const compiled = compilePattern(pattern);
  const matches = compiled.ok && matchesWhole(compiled.pattern, sent);
  return matches ? fits(sent) : wrong(`must match ${pattern}`, sent);
}

function tooLong(sent: string): CheckedValue {
  const [most, length] = [longestValue, sent.length].map((count) => count.toLocaleString("en"));
  return { ok: false, problem: `must have at most ${most} characters, not ${length}` };
}

function fits(value: VariableValue): CheckedValue {
  return { ok: true, value };
}

function wrong(wanted: string, sent: VariableValue): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: `${wanted}, not ${typeof sent === "string" ? quote(sent) : String(sent)}` };
}
