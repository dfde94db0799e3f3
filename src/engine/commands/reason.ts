/** Where and why, short enough to stay in the state; the whole text is in the journal. */
export function reasonAt(where: string, text: string): string {
  const characters = [...text.trim()];
  const short = characters.length > 500 ? `${characters.slice(0, 500).join("")}…` : characters.join("");
  return short === "" ? where : `${where}: ${short}`;
}
