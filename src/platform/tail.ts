/** Keeps the last bytes of a stream, however much comes. */
export interface Tail {
  push(this: void, chunk: Uint8Array): void;
  /** As text, cut on whole characters, saying when something is gone. */
  text(): string;
}

export function createTail(limit: number): Tail {
  let kept: Uint8Array = new Uint8Array(0);
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      const joined = Buffer.concat([kept, chunk]);
      kept = joined.length > 2 * limit ? Buffer.from(joined.subarray(joined.length - limit)) : joined;
    },
    text() {
      const bytes = kept.subarray(Math.max(0, kept.length - limit));
      const whole = total > limit ? bytes.subarray(firstWhole(bytes)) : bytes;
      const text = new TextDecoder().decode(whole);
      return total > limit ? `[${total - whole.length} bytes left out]\n${text}` : text;
    },
  };
}

/** Where the first character begins that is not the rest of a cut one. */
function firstWhole(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? 0 : start;
}
