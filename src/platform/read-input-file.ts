import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { isatty } from "node:tty";
import { readRegularFile } from "./files.ts";
import { sizeLimits } from "./size-limits.ts";

/**
 * Reads a file that a person named, which may be a pipe: `--file <(make-tasks)`. Waiting for a pipe ends with the
 * signal; a plain read would keep even Ctrl-C from ending the process. Throws system errors as they are.
 */
export async function readInputFile(path: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  // Without O_NONBLOCK, opening a pipe waits for a writer. Windows has none of these flags.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  const there = fstatSync(file);
  if (!there.isFile() && !there.isDirectory()) return readStream(await openStream(file), signal);
  closeSync(file);
  return readRegularFile(path, sizeLimits.input);
}

/** Pipes and terminals are waited for by the event loop: a thread that waits for one keeps the process from exiting. */
async function openStream(file: number): Promise<Readable> {
  if (isatty(file)) return new (await import("node:tty")).ReadStream(file);
  if (fstatSync(file).isFIFO())
    return new (await import("node:net")).Socket({ fd: file, readable: true, writable: false });
  return (await import("node:fs")).createReadStream("", { fd: file });
}

/** Everything that a stream has. Throws an error with the code EINTR on the signal, and E2BIG if it is endless. */
export async function readStream(stream: Readable, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of signal === undefined ? stream : addAbortSignal(signal, stream)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > sizeLimits.input) throw failure("E2BIG");
    }
  } catch (error) {
    if (signal?.aborted) throw failure("EINTR");
    throw error;
  }
  return Buffer.concat(chunks);
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: "read" });
}
