import { expect, test } from "vitest";
import { readableText } from "../../src/ui/past/line-marks.ts";

test("the reply of a tool is laid out, with its lines as lines and its backslashes as they are", () => {
  const reply = JSON.stringify({ text: 'Open "C:\\new\\table"\nand\tread it' });
  expect(readableText(reply)).toBe('{\n  "text": "Open "C:\\new\\table"\n    and\tread it"\n}');
});

test.each(["plain\\ntext", "{ not JSON"])("%j stays as it is", (text) => {
  expect(readableText(text)).toBe(text);
});
