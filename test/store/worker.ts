import { type ChildProcess, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../scripts/bundle-cli.ts";

/** Builds a small program of this folder as one file that Node can run. */
export async function bundleWorker(folder: string, name: string): Promise<string> {
  const program = join(folder, "program/dist/workers", `${name}.js`);
  await bundleProgram(program, `test/store/workers/${name}.ts`);
  symlinkSync(resolve("workflows"), join(folder, "program/workflows"));
  return program;
}

/** A program that prints one line at a time. */
export interface Worker {
  readonly process: ChildProcess;
  /** The next line it prints. Throws when it ends without one. */
  line(): Promise<string>;
  /** All that it still has printed, once it has ended. */
  rest(): Promise<string[]>;
  send(line: string): void;
  /** Its exit code and signal, once it has ended. */
  readonly end: Promise<readonly [number | null, NodeJS.Signals | null]>;
  readonly complaints: () => string;
}

/** `limits` are commands of the shell that hold for the program, such as `ulimit -f 16`. */
export function startWorker(program: string, words: readonly string[], limits = ":"): Worker {
  const shell = ["-c", `${limits}; exec "$0" "$@"`, process.execPath, program, ...words];
  const child = spawn("/bin/sh", shell, { stdio: ["pipe", "pipe", "pipe"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  // Whoever writes to a program that was killed is told by its end.
  child.stdin.on("error", () => {});
  return {
    process: child,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error(`the worker ended: ${complaints}`);
      return next.value;
    },
    async rest() {
      const rest: string[] = [];
      for (let next = await lines.next(); next.done !== true; next = await lines.next()) rest.push(next.value);
      return rest;
    },
    send: (line) => child.stdin.write(`${line}\n`),
    end: new Promise((ended) => child.once("close", (code, signal) => ended([code, signal]))),
    complaints: () => complaints,
  };
}
