const limit = 100;

/** A summary fit for one line: trimmed, without control characters, at most 100 characters; null when nothing is left. */
export function cleanSummary(text: string): string | null {
  const clean = text.replace(/\p{Cc}/gu, "").trim();
  const characters = [...clean];
  if (characters.length === 0) return null;
  return characters.length <= limit ? clean : `${characters.slice(0, limit - 3).join("")}...`;
}
