import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("only the server opens a port, and only the coder and a shared store a connection", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const network =
    /(?:from|import\(|require\() ?["'](?:node:)?(?:net|tls|dgram|https?|http2|dns)(?:\/\w+)?["']|(?<!\.)\bfetch\(|\bnew WebSocket\b/;
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((name) => network.test(readFileSync(join("src", name), "utf8")));
  // Node reads a pipe with a class of that module.
  const pipes = join("platform", "read-input-file.ts");
  const server = join("serve", "server.ts");
  // The driver connects it to the database that the user has named.
  const database = join("store", "postgres", "sockets.ts");
  // Ask whether a text is an address.
  const addresses = [join("cli", "serve", "run-serve.ts"), join("serve", "http", "origins.ts")];
  // In the browser, where the policy of the page lets it ask only the server it came from.
  const page = [join("ui", "api", "live.ts"), join("ui", "api", "request.ts")];
  const coder = join("coder", "mcp", "connect.ts");
  expect(found.sort()).toEqual([...addresses, coder, database, pipes, server, ...page].sort());
  for (const name of addresses) expect(readFileSync(join("src", name), "utf8")).not.toMatch(/connect\(|createServer/);
  expect(readFileSync(join("src", database), "utf8")).not.toMatch(/connect\(|createServer|listen\(/);
  expect(readFileSync(join("src", server), "utf8")).not.toMatch(/connect\(|fetch\(|request\(/);
  expect(readFileSync(join("src", pipes), "utf8")).not.toMatch(/connect|listen|createServer/);
});
