import { quote } from "../model/quote.ts";

/** Keys and indexes from the root of a template to a value: `["steps", 2, "context"]`. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, or doubtful, about a template. Without a source text there is no position. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
  readonly position: Position | null;
}

/** A problem before it has its position: `at` is the value meant, or its key where the key itself is wrong. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly path: Path;
  readonly message: string;
  readonly at?: "key" | "value";
  /** A piece of the value's text, and which occurrence of it, to point inside a long text. */
  readonly excerpt?: { readonly text: string; readonly occurrence: number };
  /** A place in the value, which is this text, counted from 0. */
  readonly inside?: { readonly text: string; readonly offset: number };
}

export function error(path: Path, message: string, where: Pick<Finding, "at" | "excerpt" | "inside"> = {}): Finding {
  return { severity: "error", path, message, ...where };
}

export function warning(path: Path, message: string, where: Pick<Finding, "at"> = {}): Finding {
  return { severity: "warning", path, message, ...where };
}

/** `steps[2].context`, as people write it; a key that would be misread is in quotes: `variables["plan number"]`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[\p{L}\p{N}_-]{1,100}$/u.test(part)) return `[${quote(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** A path as the key of a map or set. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** The problem in one line, for a list or a log. */
export function problemText({ position, path, message }: Problem): string {
  const where = position === null ? "" : `${position.line}:${position.column}  `;
  return `${where}${path === "" ? "" : `${path}  `}${message}`;
}
