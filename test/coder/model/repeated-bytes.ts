import type { CacheBlock } from "./prompt-cache.ts";

/** What of a request is the same, from its first byte on, as in the request before. */
export interface Prefix {
  /** All that is sent, in bytes and in the order in which a provider puts it together, without marks for its cache. */
  readonly total: number;
  readonly same: number;
}

export function repeatedBytes(): { next(blocks: readonly CacheBlock[]): Prefix } {
  let before = Buffer.alloc(0);
  return {
    next(blocks) {
      const sent = Buffer.from(blocks.map(({ bytes }) => bytes).join(""));
      const same = sameLength(before, sent);
      before = sent;
      return { total: sent.length, same };
    },
  };
}

/** Halves the range, because comparing two slices is far quicker than looking at every byte. */
function sameLength(before: Buffer, sent: Buffer): number {
  let low = 0;
  let high = Math.min(before.length, sent.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (before.subarray(low, middle).equals(sent.subarray(low, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}
