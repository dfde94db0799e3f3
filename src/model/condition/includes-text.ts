/**
 * Whether a text contains another, in linear time (Knuth, Morris and Pratt). Both may be long and come from an agent or a
 * command, and `String.includes` takes the product of their lengths for some of them.
 */
export function includesText(text: string, part: string): boolean {
  if (part.length > text.length) return false;
  if (part === "") return true;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === part.charCodeAt(matched)) matched += 1;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at);
    while (length > 0 && code !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (code === part.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
