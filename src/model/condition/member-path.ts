/** The path to a nested value: member names and list indexes. */
export type MemberPath = readonly (string | number)[];

/** These names would lead out of the data, to the prototype. */
const leadsOut: readonly string[] = ["__proto__", "constructor", "prototype"];

export function leadsOutOfData(key: string): boolean {
  return leadsOut.includes(key);
}

/** The value at a path, reading own properties only; null if there is none. */
export function memberAt(value: unknown, path: MemberPath): unknown {
  let inner: unknown = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return null;
    inner = (inner as Readonly<Record<string | number, unknown>>)[key];
  }
  return inner ?? null;
}

export type ParsedMemberPath =
  | { readonly ok: true; readonly path: MemberPath }
  | { readonly ok: false; readonly column: number; readonly problem: string };

const longest = 1_000;
const part = /(?:\.|^)(?<name>[^.[\]"'\s$]+)|\[(?:(?<index>\d{1,9})|'(?<single>[^'\]]+)'|"(?<double>[^"\]]+)")\]/y;

/** Parses `artifacts.spec_path`, `$.artifacts.spec_path`, `files[0]` or `$['artifacts']["spec"]`. */
export function parseMemberPath(text: string): ParsedMemberPath {
  if (text.length > longest) return { ok: false, column: 1, problem: "is longer than 1,000 characters" };
  const path: (string | number)[] = [];
  let end = text.startsWith("$") ? 1 : 0;
  while (end < text.length) {
    part.lastIndex = end;
    const match = part.exec(text);
    if (match === null) return { ok: false, column: end + 1, problem: "expected .name, [0] or ['name']" };
    const { name, index, single, double } = match.groups ?? {};
    const key = name ?? single ?? double ?? "";
    if (leadsOutOfData(key)) return { ok: false, column: end + 1, problem: `${key} is a reserved name` };
    path.push(index === undefined ? key : Number(index));
    end = part.lastIndex;
  }
  return path.length === 0 ? { ok: false, column: 1, problem: "names no value" } : { ok: true, path };
}
