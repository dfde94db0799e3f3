import { parseJson } from "../../model/json.ts";
import { sha256Hex } from "../../platform/files.ts";

/** A value as one line of JSON that ends with a hash over the rest of the line, as in a journal. */
export function hashLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"hash":"${sha256Hex(body)}"}`;
}

/** The value of a line whose hash is right; undefined for any other line. */
export function readHashedLine(line: string): unknown {
  const [ending, expected] = /,"hash":"([0-9a-f]{64})"\}$/.exec(line) ?? [];
  const body = ending === undefined ? null : line.slice(0, -ending.length);
  return body === null || sha256Hex(body) !== expected ? undefined : parseJson(`${body}}`);
}
