import { memberAt, parseMemberPath } from "../model/condition/member-path.ts";

export type JsonText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: "missing" | "refused"; readonly problem: string };

/** JSON laid out for reading, whole or the part that is selected. */
export function jsonText(source: string, select: string | undefined): JsonText {
  const value = parse(source);
  if (!value.ok) return { ok: false, status: "refused", problem: `is not JSON: ${value.problem}` };
  if (select === undefined) return laidOut(value.value);
  const path = parseMemberPath(select);
  if (!path.ok) return { ok: false, status: "refused", problem: `cannot be asked for ${select}: ${path.problem}` };
  const part = memberAt(value.value, path.path);
  return part === null ? { ok: false, status: "missing", problem: `has nothing at ${select}` } : laidOut(part);
}

function parse(source: string) {
  try {
    return { ok: true, value: JSON.parse(source) as unknown } as const;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, problem: error.message } as const;
  }
}

function laidOut(value: unknown): JsonText {
  try {
    return { ok: true, text: JSON.stringify(value, null, 2) };
  } catch (error) {
    // What can be parsed can still be too deep to be written.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, status: "refused", problem: "is nested too deeply" };
  }
}
