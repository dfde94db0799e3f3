import { stripInvisible } from "./strip-text.ts";

/** Commas, backticks, brackets and asterisks delimit a path and are never part of it; `@name(` is code. */
const reference = /(?<![\p{L}\p{N}@._-])@([^\s,;`*()[\]{}<>"'|@]+)(?![^\s,;`*)[\]{}<>"'|@])/gu;
const listOfReferences = /^[\s#>*+`[\d.)-]*(?:[\p{L}\p{N} _*-]{1,40}:[\s*`[]*)?@/u;
const fileName = /\.\p{L}[\p{L}\p{N}]*(?:#[^/]*)?$/u;

/** The `@path` references in a line. In running text only a file name counts: a bare `@name` mentions a person. */
export function pathsIn(line: string): string[] {
  const text = stripInvisible(line.replaceAll("\t", " "));
  const isList = listOfReferences.test(text);
  return [...text.matchAll(reference)].flatMap(([, written = ""]) => {
    const path = written.replace(/(?::\d{1,7}(?:-\d{1,7})?)?[.:!?\u2026]{0,9}$/u, "");
    return fileName.test(path) || (isList && path.includes("/")) ? [`@${path}`] : [];
  });
}
