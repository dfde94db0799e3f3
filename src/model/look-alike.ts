/** Wherever a text that is put before a model looks like this tag, its brackets become round: only we write the tag. */
export function createDisarm(tag: string): (text: string) => string {
  let pattern: RegExp | null = null;
  return (text) => {
    // Most texts have no bracket at all, and the pattern takes longer to make than all else that is done to them.
    if (!/[[\uFF3B\u3010\u3014\u27E6]/u.test(text)) return text;
    pattern ??= lookAlike(tag);
    return text.replace(pattern, "($<name>)");
  };
}

/** A tag's name in brackets of any kind, whatever stands invisibly or loosely between its letters. */
function lookAlike(tag: string): RegExp {
  const name = /\[([^\]]+)\]/.exec(tag)?.[1] ?? tag;
  const gap = "[\\p{Cf}\\s\\\\]*";
  const letters = [...name].map((sign) => (sign === "_" ? "[_\\-\\s\\u2010-\\u2015]" : literal(sign)));
  return new RegExp(`[\\[［【〔⟦]${gap}(?<name>${letters.join(gap)})${gap}[\\]］】〕⟧]`, "giu");
}

function literal(sign: string): string {
  return /[\p{L}\p{N}]/u.test(sign) ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

/** What stands before a pivot's feedback wherever a model reads it, and nowhere else. */
export const pivotTag = "**[BUDGET_PIVOT_FEEDBACK]:**";
