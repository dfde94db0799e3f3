/**
 * The SHA-256 of a short text, in hex, without `node:crypto`: loading that takes a hook longer than everything else it
 * does before it knows whether it is needed at all.
 */
export function shortSha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / blockSize) * blockSize));
  bytes.forEach((byte, index) => {
    padded.setUint8(index, byte);
  });
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  let state = [...roots.initial];
  for (let block = 0; block < padded.byteLength; block += blockSize) state = compress(state, padded, block);
  return state.map((word) => word.toString(16).padStart(8, "0")).join("");
}

const blockSize = 64;
// Pure, so that a bundle which needs no hash does not carry and compute them.
const roots = /* @__PURE__ */ rootsOfPrimes();

/** By definition the first 32 bits of the fractional parts of the roots of the first primes. */
function rootsOfPrimes() {
  const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !hasDivisor(n));
  return {
    initial: primes.slice(0, 8).map((prime) => fraction(prime ** (1 / 2))),
    constants: primes.map((prime) => fraction(prime ** (1 / 3))),
  };
}

function compress(state: readonly number[], bytes: DataView, offset: number): number[] {
  const words = Array.from({ length: 16 }, (_, index) => bytes.getUint32(offset + index * 4));
  const word = (index: number) => words[index] ?? 0;
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  roots.constants.forEach((constant, index) => {
    if (index > 15) {
      const [early, late] = [word(index - 15), word(index - 2)];
      const mixed = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      words.push(
        (word(index - 16) + mixed + word(index - 7) + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10))) >>> 0,
      );
    }
    const chosen = (e & f) ^ (~e & g);
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + constant + word(index);
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  });
  return [a, b, c, d, e, f, g, h].map((value, index) => (value + (state[index] ?? 0)) >>> 0);
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function hasDivisor(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return true;
  return false;
}

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}
