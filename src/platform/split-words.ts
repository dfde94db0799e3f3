/** Splits a command line into arguments at spaces outside quotes, with no other syntax; null if a quote is not closed. */
export function splitWords(line: string): readonly string[] | null {
  const pattern = /\s+|(?:'[^']*'|"[^"]*"|[^\s'"])+/y;
  const words: string[] = [];
  let end = 0;
  while (end < line.length) {
    pattern.lastIndex = end;
    const match = pattern.exec(line);
    if (match === null) return null;
    if (match[0].trim() !== "") words.push(match[0].replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
    end = pattern.lastIndex;
  }
  return words.length === 0 ? null : words;
}
