import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The last bytes of a file as text; the first character may be cut. Throws system errors as they are. */
export function readTail(path: string, most: number): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, most);
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, size - length);
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}
