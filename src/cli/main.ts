#!/usr/bin/env node
import { appendFileSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { exitCodes } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { runCli } from "./run-cli.ts";

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopped.abort());
// Whoever reads may leave early, as `head` does; that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  throw error;
});

const watched = process.stderr.isTTY === true;
let shown = 0;

const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb",
  columns: process.stdout.columns ?? 100,
  signal: stopped.signal,
  out(text) {
    clearProgress();
    process.stdout.write(text);
  },
  err(text) {
    clearProgress();
    process.stderr.write(text);
  },
  async readInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString("utf8");
  },
  async ask(question) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question, { signal: stopped.signal });
    } catch {
      return "";
    } finally {
      terminal.close();
    }
  },
  progress(line) {
    if (!watched) return;
    clearProgress();
    const text = line.slice(0, (process.stderr.columns ?? 80) - 1);
    process.stderr.write(text);
    shown = text.length;
  },
};

function clearProgress(): void {
  if (shown > 0) process.stderr.write(`\r${" ".repeat(shown)}\r`);
  shown = 0;
}

try {
  process.exitCode = await runCli(process.argv.slice(2), io);
} catch (error) {
  // A bug of ours: the user gets one line, the trace goes where it can be asked for.
  const log = join(homedir(), ".config", "holdfast", "errors.log");
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    mkdirSync(join(log, ".."), { recursive: true });
    appendFileSync(log, `${new Date().toISOString()} ${process.argv.slice(2, 3).join(" ")}\n${trace}\n`);
    io.err(`failed: something unexpected happened; nothing was changed by this line\n  Next  see ${log}\n`);
  } catch {
    io.err(`failed: something unexpected happened: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.exitCode = exitCodes.failed;
}
