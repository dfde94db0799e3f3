import { visible } from "./plain.ts";

/** Commas, backticks, brackets and stars stand around a path, never in it; `@name(` is code. */
const reference = /(?<![\p{L}\p{N}@._-])@([^\s,;`*()[\]{}<>"'|@]+)(?![^\s,;`*)[\]{}<>"'|@])/gu;
const listOfReferences = /^[\s#>*+`[\d.)-]*(?:[\p{L}\p{N} _*-]{1,40}:[\s*`[]*)?@/u;
const fileName = /\.\p{L}[\p{L}\p{N}]*(?:#[^/]*)?$/u;

/** The references `@path` in a line. In running text only what looks like a file is one: a bare `@name` is somebody. */
export function pathsIn(line: string): string[] {
  const text = visible(line.replaceAll("\t", " "));
  const isList = listOfReferences.test(text);
  return [...text.matchAll(reference)].flatMap(([, written = ""]) => {
    const path = written.replace(/(?::\d{1,7}(?:-\d{1,7})?)?[.:!?\u2026]{0,9}$/u, "");
    return fileName.test(path) || (isList && path.includes("/")) ? [`@${path}`] : [];
  });
}
