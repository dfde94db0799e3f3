/** A line without its line break, or a marker for one above the limit. */
export type Line = Buffer | "too-long";

const newline = 0x0a;

/** Splits chunks of bytes into lines. Nothing of a line above the limit is kept in memory. */
export function createLineCutter(longest: number): (piece: Buffer) => Generator<Line> {
  let held: Buffer[] = [];
  let length = 0;

  function hold(part: Buffer): void {
    length += part.length;
    if (length > longest) held = [];
    else held.push(part);
  }

  function take(): Line {
    const line = length > longest ? "too-long" : held.length === 1 && held[0] ? held[0] : Buffer.concat(held);
    held = [];
    length = 0;
    return line;
  }

  return function* cut(piece) {
    let from = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, from)) {
      hold(piece.subarray(from, end));
      yield take();
      from = end + 1;
    }
    if (from < piece.length) hold(piece.subarray(from));
  };
}
