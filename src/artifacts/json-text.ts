import { memberAt, parseMemberPath } from "../model/condition/member-path.ts";

export type JsonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: "missing" | "refused"; readonly problem: string };

/** Pretty-prints JSON, or the part of it that `select` names. */
export function jsonText(source: string, select: string | undefined): JsonText {
  const value = parse(source);
  if (!value.ok) return { ok: false, status: "refused", problem: `is not JSON: ${value.problem}` };
  if (select === undefined) return formatJson(value.value);
  const path = parseMemberPath(select);
  if (!path.ok)
    return { ok: false, status: "refused", problem: `cannot be read with select ${select}: ${path.problem}` };
  const part = memberAt(value.value, path.path);
  return part === null ? { ok: false, status: "missing", problem: `has no value at ${select}` } : formatJson(part);
}

function parse(source: string) {
  try {
    return { ok: true, value: JSON.parse(source) as unknown } as const;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, problem: error.message } as const;
  }
}

function formatJson(value: unknown): JsonText {
  try {
    return { ok: true, text: JSON.stringify(value, null, 2) };
  } catch (error) {
    // A value can be parsed and still be nested too deeply to be printed.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, status: "refused", problem: "is nested too deeply" };
  }
}
