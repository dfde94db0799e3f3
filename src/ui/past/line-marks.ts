/** A line of a text, and whether the other text has none like it. */
export interface MarkedLine {
  readonly text: string;
  readonly isOwn: boolean;
}

/**
 * The lines of a text that the other one does not have. Not a full comparison, which takes long for long texts: a line counts
 * as known as often as the other text has it, wherever that is.
 */
export function markLines(text: string, other: string): readonly MarkedLine[] {
  const known = new Map<string, number>();
  for (const line of other.split("\n")) known.set(line, (known.get(line) ?? 0) + 1);
  return text.split("\n").map((line) => {
    const left = known.get(line) ?? 0;
    if (left > 0) known.set(line, left - 1);
    return { text: line, isOwn: left === 0 && line.trim() !== "" };
  });
}

/** What the escapes of JSON stand for. */
const shown: Readonly<Record<string, string>> = { n: "\n    ", t: "\t", '"': '"', "\\": "\\" };

/** The reply of a tool is JSON on one line: it is laid out, and the line breaks in its texts become some. */
export function readableText(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replace(/\\(.)/g, (written, sign) => shown[sign] ?? written);
  } catch {
    return text;
  }
}
