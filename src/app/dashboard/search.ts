/** Whether a text has all words of a search, in any case and script. */
export function createSearch(search: string): (text: string) => boolean {
  const words = foldCase(search).split(/\s+/u).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}

/** Without the differences that a person who searches does not mean: case, width, and how an accent is put together. */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase();
}

export const longestSearch = 200;
