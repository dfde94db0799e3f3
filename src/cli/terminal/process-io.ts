import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { addAbortSignal } from "node:stream";
import { isatty, type WriteStream } from "node:tty";
import { HoldfastError } from "../../errors.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Io, StreamStyle } from "./io.ts";
import { clip, widthOf } from "./layout.ts";
import { UsageError } from "./usage-error.ts";

/** More than anyone means to send; it keeps a wrong pipe from filling the memory. */
const longestInput = 100_000_000;

const columnsUnknown = 80;

/** This process and its terminal. */
export function processIo(): Io {
  const { stdout, stderr } = process;
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort());
  for (const stream of [stdout, stderr]) stream.on("error", leave);
  let shown = 0;
  const clearProgress = () => {
    if (shown > 0) stderr.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  // Whatever comes next on this terminal, such as the shell's prompt, must not continue a line of progress.
  process.once("exit", clearProgress);
  return {
    get cwd() {
      return workingFolder();
    },
    env: process.env,
    // Not process.stdin, which would open a stream that most commands never read.
    isTerminal: isatty(0) && stdout.isTTY === true,
    styles: { out: lookOf(stdout), err: lookOf(stderr) },
    signal: stopped.signal,
    out(text) {
      clearProgress();
      stdout.write(text);
    },
    err(text) {
      clearProgress();
      stderr.write(text);
    },
    readInput() {
      clearProgress();
      return readInput(stopped.signal);
    },
    ask(question) {
      clearProgress();
      return ask(question, stopped.signal);
    },
    progress(line) {
      if (stderr.isTTY !== true) return;
      clearProgress();
      const text = clip(line, (stderr.columns || columnsUnknown) - 1);
      stderr.write(text);
      shown = widthOf(text);
    },
    keepTrace,
  };
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const problem = "the folder that this was called in is gone";
    throw new HoldfastError("file-unreadable", { file: ".", problem }, { cause });
  }
}

function lookOf(stream: WriteStream): StreamStyle {
  if (stream.isTTY !== true) return { colours: false, columns: null };
  const colours = !process.env.NO_COLOR && process.env.TERM !== "dumb";
  return { colours, columns: stream.columns || columnsUnknown };
}

/** Whoever reads may leave early, as `head` does; that is no failure. A full disk is one. */
function leave(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  try {
    writeSync(process.stderr.fd, `failed: cannot print the answer (${error.code ?? error.message})\n`);
    writeSync(process.stderr.fd, "  Next   make room, then see where the run stands: holdfast status\n");
  } catch {
    // There is nowhere left to say it; the exit code does.
  }
  process.exit(exitCodes.failed);
}

async function readInput(signal: AbortSignal): Promise<Uint8Array> {
  const { stdin, stderr } = process;
  if (stdin.isTTY && stderr.isTTY) stderr.write("(type the text, then Ctrl-D on a line of its own)\n");
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > longestInput) throw new UsageError("standard input has more than 100,000,000 bytes");
    }
  } catch (error) {
    if (signal.aborted) throw new UsageError("standard input was interrupted; nothing was changed");
    throw error;
  }
  return Buffer.concat(chunks);
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  // The terminal itself edits the line; no codes are needed for that.
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  // Whoever presses Ctrl-C or Ctrl-D has answered, too; the question alone would wait for ever.
  const left = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(question, { signal }).catch(() => null), left]);
    if (answer === null) process.stdout.write("\n");
    return answer ?? "";
  } finally {
    lines.close();
  }
}

/** The trace of a bug goes where it can be asked for, not to the user. */
function keepTrace(trace: string): string | null {
  const log = join(homedir(), ".config", "holdfast", "errors.log");
  try {
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
    appendFileSync(log, `${new Date().toISOString()} ${process.argv.slice(2, 3).join(" ")}\n${trace}\n`);
    return log;
  } catch {
    return null;
  }
}
