import { createHash } from "node:crypto";

/** A part of a request that a provider caches as one: a tool, a text, a call, a result. */
export interface CacheBlock {
  /** As it is sent, without the mark. */
  readonly bytes: string;
  /** Whether the cache may end here. */
  readonly isMarked: boolean;
}

export interface CacheUse {
  /** All in tokens, of which one is four bytes. */
  readonly total: number;
  /** The longest beginning of this request that an earlier one has left in the cache. */
  readonly read: number;
  /** What this request has added behind that. */
  readonly written: number;
}

export interface PromptCache {
  use(blocks: readonly CacheBlock[]): CacheUse;
}

/** From a mark, a provider looks back no further than this many blocks for something cached. */
const lookBack = 20;

export function promptCache(): PromptCache {
  const kept = new Set<string>();
  return {
    use(blocks) {
      const prefixes = prefixesOf(blocks);
      const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
      const hits = marks.flatMap((mark) => {
        const near = prefixes.slice(Math.max(0, mark - lookBack), mark + 1);
        return near.filter(({ hash }) => kept.has(hash)).map(({ tokens }) => tokens);
      });
      for (const mark of marks) kept.add(prefixes[mark]?.hash ?? "");
      const read = Math.max(0, ...hits);
      const marked = prefixes[marks.at(-1) ?? -1]?.tokens ?? 0;
      return { total: prefixes.at(-1)?.tokens ?? 0, read, written: Math.max(0, marked - read) };
    },
  };
}

function prefixesOf(blocks: readonly CacheBlock[]): { hash: string; tokens: number }[] {
  let hash = "";
  let bytes = 0;
  return blocks.map((block) => {
    hash = createHash("sha256").update(hash).update(block.bytes).digest("hex");
    bytes += Buffer.byteLength(block.bytes);
    return { hash, tokens: Math.ceil(bytes / 4) };
  });
}
