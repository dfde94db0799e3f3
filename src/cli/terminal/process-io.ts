import { appendFileSync, closeSync, mkdirSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isatty, type WriteStream } from "node:tty";
import { HoldfastError } from "../../errors.ts";
import { hasCode } from "../../platform/files.ts";
import { readStream } from "../../platform/read-input-file.ts";
import { isInBackground, readSurroundings } from "../../platform/surroundings.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Io, StreamStyle } from "./io.ts";
import { clip, widthOf } from "./layout.ts";
import { createPanel } from "./panel.ts";
import { Interrupted, UsageError } from "./usage-error.ts";

const columnsUnknown = 80;
/** `nohup` leaves none of them at a terminal. Node forgets that it also had SIGHUP ignored. */
const streamsOfTerminal = process.platform === "linux" ? [0, 1, 2] : [1, 2];

/** The streams and signals of this process. */
export function processIo(): Io {
  const { stdout, stderr } = process;
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  const hadTerminal = streamsOfTerminal.some((fd) => isatty(fd));
  let [hasHungUp, isLasting] = [false, false];
  // The system and the shell may both send it.
  process.on("SIGHUP", () => {
    if (isLasting && !hadTerminal) return;
    hasHungUp = true;
    stop();
  });
  let stopsInOrder = false;
  /** A reader that closes the pipe early, such as `head`, is not an error, and neither is a terminal that is closed. */
  const lose = (stream: WriteStream) => (error: NodeJS.ErrnoException) => {
    if (error.code === "EIO" && stream.isTTY) hasHungUp = true;
    else if (error.code !== "EPIPE") fail(error);
    if (!stopsInOrder) process.exit(hasHungUp ? exitCodes.interrupted : exitCodes.done);
    stop();
  };
  for (const stream of [stdout, stderr]) stream.on("error", lose(stream));
  let shown = 0;
  const clearProgress = () => {
    if (shown > 0) stderr.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const panel = createPanel(stdout);
  process.once("exit", () => {
    // The shell prompt must not follow on the same line as a progress message.
    clearProgress();
    if (hasHungUp) closeStreams();
  });
  return {
    get cwd() {
      return workingFolder();
    },
    env: process.env,
    // Reading process.stdin would open a stream that most commands never use.
    isTerminal: isatty(0) && stdout.isTTY === true,
    surroundings: readSurroundings,
    get styles() {
      return { out: lookOf(stdout), err: lookOf(stderr) };
    },
    signal: stopped.signal,
    stopInOrder() {
      stopsInOrder = true;
    },
    outliveHangup() {
      isLasting = true;
    },
    out(text) {
      clearProgress();
      panel.above(() => stdout.write(text));
    },
    err(text) {
      clearProgress();
      panel.above(() => stderr.write(text));
    },
    panel: panel.show,
    readInput() {
      clearProgress();
      return readInput(stopped.signal);
    },
    ask(question) {
      clearProgress();
      return ask(question, stopped.signal);
    },
    listen,
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
    const problem = "the current folder no longer exists";
    throw new HoldfastError("file-unreadable", { file: ".", problem }, { cause });
  }
}

function lookOf(stream: WriteStream): StreamStyle {
  if (stream.isTTY !== true) return { colours: false, columns: null };
  const colours = !process.env.NO_COLOR && process.env.TERM !== "dumb";
  return { colours, columns: stream.columns || columnsUnknown };
}

/** Node crashes at its end when it cannot reset a terminal that is gone. It leaves out what is closed. */
function closeStreams(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // It was closed before.
    }
  }
}

/** A full disk, for example. */
function fail(error: NodeJS.ErrnoException): never {
  try {
    writeSync(process.stderr.fd, `failed: cannot write the output (${error.code ?? error.message})\n`);
    writeSync(process.stderr.fd, "  Next   free some disk space, then check the run: holdfast status\n");
  } catch {
    // Standard error is gone too; the exit code has to be enough.
  }
  process.exit(exitCodes.failed);
}

async function readInput(signal: AbortSignal): Promise<Uint8Array> {
  const { stdin, stderr } = process;
  if (stdin.isTTY && stderr.isTTY) stderr.write("(type the text, then Ctrl-D on a line of its own)\n");
  try {
    return await readStream(stdin, signal);
  } catch (error) {
    if (hasCode(error, "E2BIG")) throw new UsageError("standard input has more than 100,000,000 bytes");
    if (hasCode(error, "EINTR")) throw new Interrupted("standard input");
    throw error;
  }
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  // The terminal edits the line itself, so readline needs no escape codes.
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  // Ctrl-C and Ctrl-D close the interface without an answer; `question` alone would wait forever.
  const left = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(question, { signal }).catch(() => null), left]);
    if (answer === null) process.stdout.write("\n");
    return answer ?? "";
  } finally {
    lines.close();
  }
}

/** The terminal hands over whole lines. */
function listen(heard: () => void): () => void {
  if (!isatty(0) || isInBackground()) return () => {};
  const { stdin } = process;
  stdin.on("data", heard);
  return () => {
    stdin.off("data", heard);
    stdin.pause();
  };
}

/** Saves the stack trace of a bug to a file instead of printing it. */
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
