import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { unwritable } from "../platform/files.ts";
import { refuseLinkedState } from "../platform/links.ts";
import { visitLogFile } from "../store/visit-log.ts";

/** The logs of a run's visits beside its journal: prompts, what agents did, results. One line of JSON each. */
export interface VisitLogs {
  write(token: string, entry: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** All logs of a run together; the oldest are removed first. */
const mostBytes = 20 * 1024 * 1024;

/** `mask` takes secrets and this machine's paths out of an entry. */
export function createVisitLogs(
  folder: string,
  mask: <T>(entry: T) => T,
  now: () => string,
  most = mostBytes,
): VisitLogs {
  let size = writing(folder, () => {
    refuseLinkedState(folder + sep);
    mkdirSync(folder, { recursive: true });
    return sizesIn(folder).reduce((sum, { bytes }) => sum + bytes, 0);
  });
  let open: { readonly name: string; readonly file: AppendFile } | null = null;
  const close = () => {
    open?.file.close();
    open = null;
  };
  const fileOf = (token: string): AppendFile | null => {
    const name = fileName(token);
    if (open?.name === name) return open.file;
    close();
    const file = appendFiles.open(join(folder, name), { create: true });
    if (file !== null) endLine(file);
    open = file === null ? null : { name, file };
    return file;
  };
  return {
    write(token, entry) {
      const line = Buffer.from(`${JSON.stringify({ at: now(), ...mask(entry) })}\n`);
      if (size + line.length > most) size = removeOldest(folder, fileName(token), most - line.length);
      // A visit that fills all of the room by itself is cut off.
      if (size + line.length > most) return;
      size += writing(join(folder, fileName(token)), () => fileOf(token)?.write(line) ?? 0);
    },
    close,
  };
}

function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** A runner that was killed while it wrote may have left half a line. */
function endLine(file: AppendFile): void {
  const size = file.size();
  if (size > 0 && file.read(size - 1, 1)[0] !== newline) file.write(Uint8Array.of(newline));
}

const newline = 0x0a;

function fileName(token: string): string {
  return basename(visitLogFile(token));
}

interface LogSize {
  readonly name: string;
  readonly bytes: number;
  readonly changedMs: number;
}

function sizesIn(folder: string): LogSize[] {
  return readdirSync(folder).flatMap((name) => {
    const there = name.endsWith(".jsonl") ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
    return there?.isFile() ? [{ name, bytes: there.size, changedMs: there.mtimeMs }] : [];
  });
}

/** Removes logs of other visits until the rest has room; returns the size of the rest. */
function removeOldest(folder: string, kept: string, room: number): number {
  const logs = sizesIn(folder);
  let size = logs.reduce((sum, { bytes }) => sum + bytes, 0);
  const others = logs.filter(({ name }) => name !== kept).sort((a, b) => a.changedMs - b.changedMs);
  for (const { name, bytes } of others) {
    if (size <= room) break;
    rmSync(join(folder, name), { force: true });
    size -= bytes;
  }
  return size;
}
