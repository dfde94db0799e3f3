import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("nothing in the program opens a port or a connection", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const network = /["'](?:node:)?(?:net|tls|dgram|https?|http2|dns)(?:\/\w+)?["']|\bfetch\(|\bnew WebSocket\b/;
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((name) => network.test(readFileSync(join("src", name), "utf8")));
  // Node reads a pipe with a class of that module.
  expect(found).toEqual([join("platform", "read-input-file.ts")]);
  expect(readFileSync(join("src", String(found[0])), "utf8")).not.toMatch(/connect|listen|createServer/);
});
