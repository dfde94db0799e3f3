import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Ended, execute } from "../../platform/processes.ts";
import { createTail } from "../../platform/tail.ts";
import { bubblewrap, tellMissing } from "./bubblewrap.ts";
import { decideCommand } from "./command-policy.ts";
import { shellEnvironment } from "./shell-environment.ts";
import { defineTool, problem, type ToolReply, type ToolScene } from "./tool.ts";

const defaultSeconds = 120;
const mostSeconds = 600;
const headBytes = 10_000;
const tailBytes = 20_000;
/** A program that prints more than this does not end by itself. */
const mostPrinted = 100_000_000;

export const shellTool = defineTool({
  name: "shell",
  description: `Run a command line with sh in the worktree. No input, no terminal; what it leaves in the background is ended. Time limit ${defaultSeconds} seconds unless you set another, up to ${mostSeconds}.`,
  input: z.strictObject({
    command: z
      .string()
      .min(1)
      .max(20_000)
      .regex(/^[^\0]*$/, "has a zero byte"),
    seconds: z.int().min(1).max(mostSeconds).default(defaultSeconds).describe("Time limit"),
  }),
  effect: "runs",
  async run({ command, seconds }, scene) {
    const decision = decideCommand(scene.policy, scene.level, command);
    if (decision === "allow") return runCommand(scene, command, seconds);
    const { denied, allowLine } = decision;
    if (allowLine === null) return problem(`not run: ${denied}`);
    return { ...problem(`not run: ${denied}. The user can allow it with ${allowLine}`), denied: allowLine };
  },
});

async function runCommand(scene: ToolScene, command: string, seconds: number): Promise<ToolReply> {
  const temporary = join(scene.scratch, "tmp");
  mkdirSync(temporary, { recursive: true });
  mkdirSync(join(scene.scratch, "cache"), { recursive: true });
  const sandbox = scene.sandbox ? await bubblewrap(scene) : null;
  const flood = new AbortController();
  const output = createEnds();
  const ended = await execute({
    argv: [...(sandbox ?? []), "/bin/sh", "-c", command],
    cwd: scene.root,
    env: shellEnvironment(scene, sandbox === null ? temporary : "/tmp"),
    timeoutMs: seconds * 1_000,
    tailBytes: 0,
    signal: AbortSignal.any([scene.signal, flood.signal]),
    onOutput(chunk) {
      output.push(chunk);
      if (output.total() > mostPrinted) flood.abort();
    },
  });
  const isFlood = flood.signal.aborted && !scene.signal.aborted;
  const how = isFlood ? `ended after it had printed ${mostPrinted / 1_000_000} MB` : wordEnd(ended, seconds);
  const note = scene.sandbox && sandbox === null ? tellMissing(scene) : null;
  const printed = output.text().trimEnd();
  const isFine = ended.type === "exited" && ended.exitCode === 0;
  const end = isFine ? (printed === "" ? "[no output]" : "") : `[${how}]`;
  const text = [printed, end, note ?? ""].filter((part) => part !== "").join("\n");
  return isFine ? { text } : problem(text);
}

function wordEnd(ended: Ended, seconds: number): string {
  switch (ended.type) {
    case "exited":
      return `exit ${ended.exitCode}`;
    case "timed-out":
      return `ended after its time limit of ${seconds} seconds`;
    case "cancelled":
      return "cancelled";
    case "not-started":
      return `not started: ${ended.problem}`;
  }
}

/** Keeps the beginning and the end of a stream of any length. */
function createEnds() {
  const head: Uint8Array[] = [];
  const tail = createTail(tailBytes);
  let [total, kept] = [0, 0];
  return {
    push(chunk: Uint8Array) {
      total += chunk.length;
      const part = chunk.subarray(0, headBytes - kept);
      kept += part.length;
      if (part.length > 0) head.push(Buffer.from(part));
      if (part.length < chunk.length) tail.push(chunk.subarray(part.length));
    },
    total: () => total,
    text() {
      const end = tail.text();
      return `${Buffer.concat(head).toString("utf8")}${total > headBytes + tailBytes ? "\n" : ""}${end}`;
    },
  };
}
