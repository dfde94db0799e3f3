/** Keeps the last bytes of a stream of any length. */
export interface Tail {
  push(this: void, chunk: Uint8Array): void;
  /** As text, cut at a character boundary and if possible at a newline, with a note if bytes are missing. */
  text(): string;
}

export function createTail(limit: number): Tail {
  let kept: Uint8Array = new Uint8Array(0);
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      // Copy the end, so that a large chunk is not kept in memory.
      const last = chunk.length > limit ? Buffer.from(chunk.subarray(chunk.length - limit)) : chunk;
      const joined = last === chunk ? Buffer.concat([kept, chunk]) : last;
      kept = joined.length > 2 * limit ? Buffer.from(joined.subarray(joined.length - limit)) : joined;
    },
    text() {
      const bytes = kept.subarray(Math.max(0, kept.length - limit));
      const whole = total > limit ? bytes.subarray(cleanCut(bytes)) : bytes;
      const text = new TextDecoder().decode(whole);
      return total > limit ? `[${total - whole.length} bytes left out]\n${text}` : text;
    },
  };
}

/** Keeps a stream from its beginning; `whole` is null if it was longer than the limit. */
export function createHead(limit: number): { push(this: void, chunk: Uint8Array): void; whole(): Buffer | null } {
  const chunks: Uint8Array[] = [];
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      if (total <= limit) chunks.push(chunk);
    },
    whole: () => (total > limit ? null : Buffer.concat(chunks)),
  };
}

const newline = 0x0a;

/**
 * Drops the partial first line: half a secret would not be recognised and masked. Keeps it if the line is very long.
 */
function cleanCut(bytes: Uint8Array): number {
  const firstLine = bytes.indexOf(newline) + 1;
  return firstLine > 0 && firstLine <= bytes.length / 2 ? firstLine : firstWhole(bytes);
}

/** The offset of the first complete character. */
function firstWhole(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? 0 : start;
}
