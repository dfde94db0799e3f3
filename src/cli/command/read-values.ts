import { quote } from "../../model/quote.ts";
import type { Io } from "../terminal/io.ts";
import { readText } from "../terminal/read-text.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { listOption, type ParsedArguments } from "./command.ts";

/** The words of a request; `-` reads it from standard input. */
export async function requestIn(words: readonly string[], io: Io): Promise<string | undefined> {
  const [first, ...more] = words;
  if (first === "-" && more.length === 0) return readText(io, "-");
  return first === undefined ? undefined : words.join(" ");
}

/** What an option such as `--var` gives, by name. */
export function pairs(parsed: ParsedArguments, name: string): Record<string, string> | undefined {
  const given = listOption(parsed, name);
  if (given.length === 0) return undefined;
  const entries = new Map<string, string>();
  for (const pair of given) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(`--${name} needs NAME=VALUE, not ${quote(pair)}`);
    // An object cannot hold this key: it would be lost.
    if (key === "__proto__") throw new UsageError(`--${name}: "__proto__" is a reserved name; use another`);
    if (entries.has(key)) throw new UsageError(`--${name} ${key} is given more than once`);
    entries.set(key, value);
  }
  return Object.fromEntries(entries);
}
