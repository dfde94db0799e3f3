import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("nothing in the program opens a port or a connection", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const network = /["'](?:node:)?(?:net|tls|dgram|https?|http2|dns)(?:\/\w+)?["']|\bfetch\(|\bnew WebSocket\b/;
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((name) => network.test(readFileSync(join("src", name), "utf8")))).toEqual([]);
});
