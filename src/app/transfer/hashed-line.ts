import { parseJson } from "../../model/json.ts";
import { sha256Hex } from "../../platform/hash.ts";

/** A value as one line of JSON that ends with a hash over all before it, as in a journal. */
export function hashLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"hash":"${sha256Hex(body)}"}`;
}

/** The value of a line that is what was written; undefined for any other. */
export function readHashedLine(line: string): unknown {
  const [ending, sealed] = /,"hash":"([0-9a-f]{64})"\}$/.exec(line) ?? [];
  const body = ending === undefined ? null : line.slice(0, -ending.length);
  return body === null || sha256Hex(body) !== sealed ? undefined : parseJson(`${body}}`);
}
