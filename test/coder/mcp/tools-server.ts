import { writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
const nothing = z.object({});

/** How many calls of `meet` wait for another one. */
let waiting: (() => void)[] = [];

/** A server with tools of every kind. */
export function createToolsServer(): McpServer {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  const inputSchema = z.object({ text: z.string().describe("What to \u202esay") });
  const description = "Says it \u202eagain\u0007";
  server.registerTool("echo", { description, inputSchema }, ({ text: said }) => text(`heard ${said}`));
  const reads = { annotations: { readOnlyHint: true } };
  // Both of two calls end only if they are under way at the same time.
  server.registerTool("meet", { ...reads, description: "Waits for another", inputSchema: nothing }, async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 2) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return text("met");
  });
  server.registerTool("environment", { description: "Shows it", inputSchema: nothing }, () =>
    text(JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env })),
  );
  server.registerTool("picture", { description: "Draws", inputSchema: nothing }, () => ({
    content: [
      { type: "text", text: "A tree \ud83c" },
      { type: "image", mimeType: "image/png", data: "A".repeat(4_096) },
      { type: "resource", resource: { uri: "file:///tree.txt", text: "leaves" } },
    ],
  }));
  server.registerTool("refuse", { description: "Fails", inputSchema: nothing }, () => ({
    ...text("out of paint"),
    isError: true,
  }));
  server.registerTool("flood", { description: "Talks", inputSchema: z.object({ size: z.number() }) }, ({ size }) =>
    text(`begin ${"x".repeat(size)} end`),
  );
  const marked = z.object({ mark: z.string().optional() });
  server.registerTool("hang", { description: "Never ends", inputSchema: marked }, ({ mark }) => {
    if (mark !== undefined) writeFileSync(mark, String(process.pid));
    return new Promise(() => {});
  });
  server.registerTool("crash", { description: "Ends the server", inputSchema: nothing }, () => {
    process.stderr.write("the tree fell\n");
    process.exit(7);
  });
  server.registerTool("grow", { description: "Gets another tool", inputSchema: nothing }, () => {
    server.registerTool("late", { description: "Came late", inputSchema: nothing }, () => text("late"));
    server.sendToolListChanged();
    return text("grown");
  });
  return server;
}

/** A server that has so many tools of these names. */
export function createNamedServer(names: readonly string[], property = "text"): McpServer {
  const server = new McpServer({ name: "names", version: "1.0.0" });
  for (const name of names) {
    server.registerTool(name, { description: name, inputSchema: z.object({ [property]: z.string() }) }, () =>
      text(name),
    );
  }
  return server;
}
