const mark = (gone: number) => `… [${gone} more characters were cut]`;

/** Truncates a text to `limit` code points, including the mark at its end. */
export function truncateHead(text: string, limit: number): string {
  const length = codePoints(text, limit + 1) > limit ? codePoints(text) : null;
  if (length === null) return text;
  const room = Math.max(0, limit - mark(length).length);
  return `${text.slice(0, offsetOf(text, room))}${mark(length - room)}`;
}

/** Shortens a text to head and tail, `limit` code points in total, and tells how much is missing and where it is. */
export function truncateMiddle(text: string, limit: number, whole: string): string {
  const length = codePoints(text);
  if (length <= limit) return text;
  const tail = Math.floor(limit / 3);
  const head = limit - tail;
  const before = text.slice(0, offsetOf(text, head));
  const after = text.slice(offsetFromEnd(text, tail));
  return `${before}\n[${length - limit} characters left out here; ${whole}]\n${after}`;
}

/** One page of a text, counted in code points. */
export function page(text: string, from: number, count: number): { text: string; next: number | null } {
  const start = offsetOf(text, from);
  const rest = text.slice(start);
  const end = offsetOf(rest, count);
  return { text: rest.slice(0, end), next: end < rest.length ? from + count : null };
}

/** The number of code points in a text; counting stops at `most`. */
export function codePoints(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count < most; count++) at += widthAt(text, at);
  return count;
}

function offsetOf(text: string, count: number): number {
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at);
  return at;
}

function offsetFromEnd(text: string, count: number): number {
  let at = text.length;
  for (let seen = 0; seen < count && at > 0; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1;
  return at;
}

function widthAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

const limit = 100;

/** A summary on one line: trimmed, no control characters, at most 100 characters; null if empty. */
export function cleanSummary(text: string): string | null {
  const clean = text.replace(/\p{Cc}/gu, "").trim();
  const characters = [...clean];
  if (characters.length === 0) return null;
  return characters.length <= limit ? clean : `${characters.slice(0, limit - 3).join("")}...`;
}

/** Shortens a text to its head and tail, on whole characters, and tells how much is missing. */
export function truncateToEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const gone = characters.length - 2 * half;
  return `${characters.slice(0, half).join("")}\n[${gone} characters left out]\n${characters.slice(-half).join("")}`;
}
