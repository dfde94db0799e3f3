import { stripMarkup } from "./strip-text.ts";
import { linesOf, type Section } from "./workflow-text.ts";

/** Reads the plan's status line; without one, the first status emoji in the text counts. */
export function isInProgress(text: string): boolean {
  // One expression over the whole text: there may be many long plans, and a hook has little time.
  const status = /^[ \t#>*+_-]*status[*_ \t]*:[*_ \t]*([^\s*_].*)$/im.exec(text)?.[1];
  if (status !== undefined) return /^[^\p{L}]*in[ _-]?progress(?!\p{L})/iu.test(status);
  const mark = /(\u{1F504})\uFE0F?[\s*_]*in[ -]?progress|\u2705\uFE0F?[\s*_]*complete/iu.exec(text);
  return mark?.[1] !== undefined;
}

/** Only a plan that mentions a phase or a workflow counts as a formal one. */
export function isFormal(text: string): boolean {
  return /(?<!\p{L})(?:phase|workflow)/iu.test(text);
}

export interface PlanTitle {
  readonly name: string;
  readonly number: number | null;
}

/** Taken from the heading `# Plan 066: Name`, or from the plan's folder name `066-name`. */
export function planTitle(text: string, folder: string): PlanTitle {
  const heading = linesOf(text).find((line) => /^#\s/.test(line)) ?? "";
  const title = stripMarkup(
    heading
      .slice(1)
      .replace(/\s#+\s*$/, "")
      .trim(),
  );
  const inFolder = /^0*(\d{1,6})(?=[-_ ]|$)(?!-\d\d-\d\d)[-_ ]*(.*)$/.exec(folder);
  const inTitle =
    /^(?:plan\s+#?0*(\d{1,6})(?!\d)|plan(?=\s*[:\u2013\u2014-])|0*(\d{1,6})(?=\s*[:\u2013\u2014-]\s))\s*[:.\u2013\u2014-]*\s*(.*)$/iu.exec(
      title,
    );
  const number: string | undefined = inTitle?.[1] ?? inTitle?.[2] ?? inFolder?.[1];
  const name = stripMarkup(inTitle?.[3] ?? title) || inFolder?.[2] || folder;
  return { name, number: number === undefined ? null : Number(number) };
}

/** The part of a plan before its first section. Below it, `key: value` is prose. */
export function headOf(text: string): Section {
  const end = linesOf(text).findIndex((line) => line.startsWith("##"));
  return { from: 0, to: end === -1 ? Number.POSITIVE_INFINITY : end };
}
