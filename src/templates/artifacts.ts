import { parseCondition } from "../model/condition/condition.ts";
import { parseMemberPath } from "../model/condition/member-path.ts";
import { choices } from "../model/nearest.ts";
import { pathNames, placeholdersOf, runStatePath } from "../model/path-text.ts";
import { type Entry, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path } from "./problem.ts";

/** Checks the texts of a critical artifact: its condition and its paths. */
export function artifactFindings({ variables }: Outline, { path, fields }: Entry): Finding[] {
  return [
    ...textFindings([...path, "condition"], textOf(fields.condition), parseCondition),
    ...textFindings([...path, "path_from_state"], textOf(fields.path_from_state), parseMemberPath),
    ...textFindings([...path, "select"], textOf(fields.select), parseMemberPath),
    ...placeholderFindings([...path, "path"], textOf(fields.path) ?? "", variables),
  ];
}

type Parsed = { readonly ok: true } | { readonly ok: false; readonly column: number; readonly problem: string };

function textFindings(path: Path, text: string | undefined, parse: (text: string) => Parsed): Finding[] {
  const parsed = text === undefined || text === "" ? null : parse(text);
  if (text === undefined || parsed === null || parsed.ok) return [];
  const { column, problem } = parsed;
  // The position in the file is unknown for multi-line values and for plain objects; the column in the text never is.
  return [error(path, `column ${column}: ${problem}`, { inside: { text, offset: column - 1 } })];
}

function placeholderFindings(path: Path, text: string, variables: Outline["variables"]): Finding[] {
  if (variables === null) return [];
  const known = new Set([...pathNames, ...variables]);
  const seen = new Map<string, number>();
  return placeholdersOf(text).flatMap(({ source, name }) => {
    const occurrence = seen.get(source) ?? 0;
    seen.set(source, occurrence + 1);
    const where = { excerpt: { text: source, occurrence } };
    if (source === runStatePath && text !== runStatePath) {
      return [error(path, `${source} stands for the run's state and must be the whole path`, where)];
    }
    if (known.has(name)) return [];
    return [error(path, `${source} is unknown${choices(name, known, "a path can use")}`, where)];
  });
}
