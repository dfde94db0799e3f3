import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("nothing in the program opens a port, and only the coder a connection", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const network = /["'](?:node:)?(?:net|tls|dgram|https?|http2|dns)(?:\/\w+)?["']|\bfetch\(|\bnew WebSocket\b/;
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((name) => network.test(readFileSync(join("src", name), "utf8")));
  // Node reads a pipe with a class of that module.
  const pipes = join("platform", "read-input-file.ts");
  expect(found.sort()).toEqual([join("coder", "mcp", "connect.ts"), pipes]);
  expect(readFileSync(join("src", pipes), "utf8")).not.toMatch(/connect|listen|createServer/);
});
