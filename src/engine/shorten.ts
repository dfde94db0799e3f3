/** Head and tail of a long text, on whole characters, saying how much is gone. */
export function truncateToEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const gone = characters.length - 2 * half;
  return `${characters.slice(0, half).join("")}\n[${gone} characters left out]\n${characters.slice(-half).join("")}`;
}
