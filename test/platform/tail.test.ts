import { describe, expect, it } from "vitest";
import { createTail } from "../../src/platform/tail.ts";

function tailOf(limit: number, ...chunks: readonly (string | Uint8Array)[]): string {
  const tail = createTail(limit);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
}

describe("the tail of a stream", () => {
  it("is all of it as long as it fits", () => {
    expect(tailOf(10)).toBe("");
    expect(tailOf(10, "01234", "56789")).toBe("0123456789");
  });

  it("is the same however the stream is cut into chunks", () => {
    const text = "one\ntwo\nthree\nfour\nfive\n";
    for (const size of [1, 2, 3, 5, 8, 13, 24]) {
      const chunks = Array.from({ length: Math.ceil(24 / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
      expect(tailOf(12, ...chunks)).toBe("[14 bytes left out]\nfour\nfive\n");
    }
  });

  it("begins with a whole line, or where a line is very long with a whole character", () => {
    expect(tailOf(12, "secret=abc\nnext line")).toBe("[11 bytes left out]\nnext line");
    expect(tailOf(8, "one long line")).toBe("[5 bytes left out]\nong line");
    expect(tailOf(7, "日本語")).toBe("[3 bytes left out]\n本語");
  });

  it("joins a character that came in two chunks", () => {
    const bytes = Buffer.from("a日b");
    expect(tailOf(10, bytes.subarray(0, 2), bytes.subarray(2))).toBe("a日b");
  });

  it("is readable text whatever the bytes are", () => {
    expect(tailOf(4, Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80]))).toBe("[1 bytes left out]\n\uFFFD\uFFFD\uFFFD\uFFFD");
    expect(tailOf(4, Buffer.from([0xff, 0x41]))).toBe("\uFFFDA");
  });
});
