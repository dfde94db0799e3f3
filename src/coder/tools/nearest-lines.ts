/** A range of lines, counted from 0, without the one at `to`. */
interface LineRange {
  readonly from: number;
  readonly to: number;
}

const mostShown = 30;
/** Comparing takes about a second for this many. */
const mostCompared = 50_000;
const leastLikeness = 0.5;

/** The lines that someone probably meant who wrote these; null if there are none like them. */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): LineRange | null {
  const start = bySameLines(lines, wanted) ?? byLikeness(lines, wanted);
  if (start === null) return null;
  const from = Math.max(0, Math.min(start, lines.length - wanted.length));
  return { from, to: Math.min(lines.length, from + Math.min(wanted.length, mostShown)) };
}

/** Where most of the lines are the same but for spaces: every such line votes for a place to start. */
function bySameLines(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number[]>();
  for (const [index, line] of wanted.entries()) {
    const text = condense(line);
    if (text.length > 2) places.set(text, [...(places.get(text) ?? []), index]);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    for (const at of places.get(condense(line)) ?? []) votes.set(index - at, (votes.get(index - at) ?? 0) + 1);
  }
  let best: number | null = null;
  for (const [start, count] of votes) if (best === null || count > (votes.get(best) ?? 0)) best = start;
  return best === null ? null : Math.max(0, best);
}

/** Where the longest line has its most similar one. */
function byLikeness(lines: readonly string[], wanted: readonly string[]): number | null {
  const texts = wanted.map(condense);
  const longest = texts.reduce((best, text, index) => (text.length > (texts[best] ?? "").length ? index : best), 0);
  const pairs = pairsOf(texts[longest] ?? "");
  let [best, most] = [-1, leastLikeness];
  for (const [index, line] of lines.slice(0, mostCompared).entries()) {
    const likeness = likenessOf(pairs, pairsOf(condense(line)));
    if (likeness > most) [best, most] = [index, likeness];
  }
  return best === -1 ? null : Math.max(0, best - longest);
}

function condense(line: string): string {
  return line.slice(0, 300).replace(/\s+/g, "");
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** From 0 to 1: how many pairs of letters two texts share (Dice). */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
