import { latePattern } from "../model/look-alike.ts";
import { quote } from "../model/quote.ts";

/** Keys and indexes from the root of a template to a value: `["steps", 2, "context"]`. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error or a warning about a template. There is a position only if it was read from a file. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
  readonly position: Position | null;
  /** The file of a workflow that is extended, if the problem is in there. */
  readonly file?: string;
}

/** A problem without a position yet; `at: "key"` points to the key of the value rather than to the value. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly path: Path;
  readonly message: string;
  readonly at?: "key" | "value";
  /** Points to the nth occurrence of a piece of the value's text. */
  readonly excerpt?: { readonly text: string; readonly occurrence: number };
  /** Points to an offset, counted from 0, in the value; `text` is the whole value. */
  readonly inside?: { readonly text: string; readonly offset: number };
}

export function error(path: Path, message: string, where: Pick<Finding, "at" | "excerpt" | "inside"> = {}): Finding {
  return { severity: "error", path, message, ...where };
}

export function warning(path: Path, message: string, where: Pick<Finding, "at" | "excerpt"> = {}): Finding {
  return { severity: "warning", path, message, ...where };
}

const plainName = latePattern(String.raw`^[\p{L}\p{N}_-]{1,100}$`, "u");

/** A path as text: `steps[2].context`. Keys that could be misread are quoted: `variables["plan number"]`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!plainName().test(part)) return `[${quote(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** A path as the key of a map or set. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** The problem in one line, for a list or a log. */
export function problemText({ path, message, ...where }: Problem): string {
  return [whereText(where), path, message].filter((part) => part !== "").join("  ");
}

/** `3:14` or, in a workflow that is extended, `base.yaml:3:14`. */
export function whereText({
  file,
  position,
}: {
  readonly file?: string | undefined;
  readonly position: Position | null;
}): string {
  const place = position === null ? [] : [position.line, position.column];
  return [...(file === undefined ? [] : [file]), ...place].join(":");
}
