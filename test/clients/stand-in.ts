import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Project } from "../cli/program.ts";

const call = z.looseObject({
  /** The words of a command hook; a call of the server has none. */
  words: z.array(z.string()).optional(),
  input: z.record(z.string(), z.unknown()),
});

export interface StandIn {
  /** What reached it so far, in order. */
  calls(): z.infer<typeof call>[];
}

/** Puts a package in the place of Holdfast that writes down what reaches it, as a hook or as a server. */
export function installStandIn(project: Project, folder: string): StandIn {
  const log = join(project.home, "calls.jsonl");
  const keep = `import { appendFileSync } from "node:fs";
const keep = (call) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(call) + "\\n");
`;
  project.write(join(folder, "package.json"), '{ "name": "holdfast", "type": "module" }');
  project.write(join(folder, "dist/bin/hook.cjs"), `const log = ${JSON.stringify(log)};\n${hook}`);
  project.write(join(folder, "dist/bin/holdfast.js"), `${keep}${server}`);
  return {
    calls() {
      const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
      return lines.map((line) => call.parse(JSON.parse(line)));
    },
  };
}

const hook = `
const { appendFileSync, readFileSync } = require("node:fs");
const text = readFileSync(0, "utf8");
const words = process.argv.slice(2);
appendFileSync(log, JSON.stringify({ words, input: JSON.parse(text) }) + "\\n");
const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext: "The tide is out" };
if (words.at(-1) === "SessionStart") process.stdout.write(JSON.stringify({ hookSpecificOutput }));
`;

/** Its tool for hooks is not listed: hosts call it all the same, and the model need not read about it. */
const server = `
import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/call") keep({ input: params.arguments });
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "holdfast", version: "1" },
    },
    "tools/list": { tools: [{ name: "workflow_status", description: "Says it", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "" }] },
  };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }) + "\\n");
});
`;
