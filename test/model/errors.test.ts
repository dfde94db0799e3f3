import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorReference } from "../../scripts/error-reference.ts";

test("docs/errors.md is what the code says; if not, run npm run docs", async () => {
  expect(await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8")).toBe(errorReference());
});
