import { type ChildProcess, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../scripts/bundle-cli.ts";
import { program } from "../cli/program.ts";
import type { CliAnswer, CliCall } from "./driver.ts";

/** Generous: nothing takes a tenth of it, also where many others want the processor. What is still running then is blocked. */
const deadlineMs = 90_000;
/** A process that reads an endless file passes this within a second. */
const mostMemory = 900 * 1024 * 1024;

/** What came of a process or of one call: text, or why it was killed. */
export interface Ending {
  readonly code: number | null;
  readonly output: string;
  readonly killed: string | null;
}

/** Kills a process that takes too long, or too much memory. `over` ends the watch and tells why it was killed. */
function watch(child: ChildProcess): { over(): string | null } {
  let killed: string | null = null;
  const kill = (why: string) => {
    killed ??= why;
    child.kill("SIGKILL");
  };
  const late = setTimeout(() => kill(`did not end within ${deadlineMs / 1_000} s`), deadlineMs);
  const look = setInterval(() => {
    if (memoryOf(child.pid) > mostMemory) kill("took more than 900 MB of memory");
  }, 25);
  return {
    over() {
      clearTimeout(late);
      clearInterval(look);
      return killed;
    },
  };
}

function memoryOf(pid: number | undefined): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return Number(pages) * 4096;
  } catch {
    // The process is gone, or this is not Linux.
    return 0;
  }
}

export interface Started {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program of Node to its end. */
export function runNode(words: readonly string[], { cwd, env }: Started, input: string): Promise<Ending> {
  const child = spawn(process.execPath, words, { cwd, env });
  const watched = watch(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output, killed: watched.over() })));
}

/** The command line in a process that answers many calls; a new one follows one that had to be killed. */
export interface Cli {
  call(call: CliCall): Promise<Ending>;
  close(): void;
}

export async function openCli(): Promise<Cli> {
  // Beside the program, so that it finds the same workflows, and counts as the same installation.
  const file = join(dirname(program), `hostile-driver-${process.pid}.js`);
  await bundleProgram(file, "test/hostile/driver.ts");
  let child: ChildProcess | null = null;
  return {
    call(call) {
      child ??= fork(file, { stdio: ["pipe", "pipe", "pipe", "ipc"] });
      const current = child;
      const watched = watch(current);
      let stray = "";
      const hear = (chunk: Buffer) => {
        stray += chunk.toString();
        // A list to choose from hides the cursor, and waits for a key: nobody chooses.
        if (chunk.includes("\u001b[?25l")) current.stdin?.write("\u0003");
      };
      current.stdout?.on("data", hear);
      current.stderr?.on("data", hear);
      return new Promise((resolve) => {
        const finish = (ending: { code: number | null; output: string }) => {
          current.removeAllListeners();
          current.stdout?.removeAllListeners();
          current.stderr?.removeAllListeners();
          resolve({ ...ending, killed: watched.over() });
        };
        current.once("message", ({ code, output }: CliAnswer) => finish({ code, output: output + stray }));
        current.once("exit", (code) => {
          child = null;
          finish({ code, output: stray });
        });
        current.send(call);
      });
    },
    close: () => child?.kill("SIGKILL"),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a server's JSON is only looked at for names
export type Json = any;

export interface McpServer {
  /** The result or the error; undefined if the server is gone. */
  request(method: string, params?: Json): Promise<Json>;
  /** Ends the connection. */
  close(): Promise<Ending>;
}

export function openServer({ cwd, env }: Started): McpServer {
  const child = spawn(process.execPath, [program, "mcp"], { cwd, env });
  const watched = watch(child);
  let output = "";
  const open = new Map<number, (answer: Json) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    output += `${line}\n`;
    const { id, result, error } = JSON.parse(line);
    open.get(id)?.(result ?? { error });
  });
  child.stderr.on("data", (chunk) => (output += chunk));
  child.stdin.on("error", () => {});
  const closed = new Promise<Ending>((resolve) =>
    child.once("close", (code) => {
      for (const answer of open.values()) answer(undefined);
      resolve({ code, output, killed: watched.over() });
    }),
  );
  let last = 0;
  return {
    request(method, params = {}) {
      last += 1;
      const id = last;
      const answer = new Promise<Json>((resolve) => open.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return Promise.race([answer, closed.then(() => undefined)]);
    },
    close() {
      child.stdin.end();
      return closed;
    },
  };
}
