/** Replaces the brackets of look-alikes of this tag in a text for a model, so that only Holdfast can write the tag. */
export function createDisarm(tag: string): (text: string) => string {
  let pattern: RegExp | null = null;
  return (text) => {
    // Fast path: most texts have no bracket, and compiling the pattern is expensive.
    if (!/[[\uFF3B\u3010\u3014\u27E6]/u.test(text)) return text;
    pattern ??= lookAlike(tag);
    return text.replace(pattern, "($<name>)");
  };
}

/**
 * A pattern that is built when it is first needed. With classes of Unicode that takes up to five milliseconds, and V8 builds a
 * literal even to check its syntax, so every start of a hook would pay for it.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}

/** Matches a tag's name in brackets of any kind, also with invisible characters or spaces between its letters. */
function lookAlike(tag: string): RegExp {
  const name = /\[([^\]]+)\]/.exec(tag)?.[1] ?? tag;
  const gap = "[\\p{Cf}\\s\\\\]*";
  const letters = [...name].map((sign) => (sign === "_" ? "[_\\-\\s\\u2010-\\u2015]" : literal(sign)));
  return new RegExp(`[\\[［【〔⟦]${gap}(?<name>${letters.join(gap)})${gap}[\\]］】〕⟧]`, "giu");
}

function literal(sign: string): string {
  return /^[a-z0-9]$/i.test(sign) ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Marks a pivot's feedback wherever a model reads it. */
export const pivotTag = "**[BUDGET_PIVOT_FEEDBACK]:**";
