import { bare } from "./quote.ts";

/** Compare at most this many names: more than a person writes, and comparing is slow. */
const namesCompared = 200;
const namesListed = 15;

/** The known word that was probably meant; null if none is similar enough. `most` limits the number of edits further. */
export function nearest<Known extends string>(
  word: string,
  known: Iterable<Known>,
  most = Number.POSITIVE_INFINITY,
): Known | null {
  if (word.length > 100) return null;
  const limit = Math.min(most, Math.floor(word.length / 3));
  let best: Known | null = null;
  let least = limit + 1;
  for (const candidate of first(known, namesCompared)) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** "; did you mean build?", or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const guess = nearest(word, known);
  return guess === null ? "" : `; did you mean ${bare(guess)}?`;
}

/** Suggests the word that was probably meant, or else lists all: "; the steps are plan, build". */
export function choices(word: string, known: ReadonlySet<string>, whose: string): string {
  return didYouMean(word, known) || (known.size === 0 ? "" : `; ${whose} ${listed(known)}`);
}

function listed(names: ReadonlySet<string>): string {
  const shown = first(names, namesListed).map(bare).join(", ");
  return names.size > namesListed ? `${shown} and ${names.size - namesListed} more` : shown;
}

function first<Name extends string>(names: Iterable<Name>, count: number): Name[] {
  const taken: Name[] = [];
  for (const name of names) {
    if (taken.length === count) break;
    taken.push(name);
  }
  return taken;
}

/** The edit distance of two words; swapping two neighbouring letters counts as one edit. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
