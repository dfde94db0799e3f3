import { parseArgs } from "node:util";
import { didYouMean } from "../../model/nearest.ts";
import { quote, shellWord } from "../../model/quote.ts";
import { UsageError } from "../terminal/usage-error.ts";
import type { CommandWords, OptionSpec, ParsedArguments } from "./command.ts";

/** Options of every command. */
export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  run: { type: "string", value: "ID", about: "the run (default: the live run of this worktree)" },
  "run-id": { type: "string", value: "ID", about: "same as --run" },
  session: { type: "string", value: "ID", about: "the id of the calling session (default: $HOLDFAST_SESSION)" },
  as: { type: "string", value: "NAME", about: "act as this person; needs --secret-file" },
  "secret-file": { type: "string", value: "FILE", about: "a file with your secret" },
  json: { type: "boolean", about: "print one JSON value, and never prompt" },
  "no-color": { type: "boolean", about: "print without colors" },
  help: { type: "boolean", short: "h", about: "show this help" },
};

export function parseCommand(command: CommandWords, words: readonly string[]): ParsedArguments {
  const known = { ...commonOptions, ...command.options };
  // Errors are found below, to report them in our own words, so the parser itself accepts everything.
  const { tokens, positionals } = parseArgs({
    args: [...words],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const options: Record<string, string | boolean | string[]> = {};
  for (const token of tokens) {
    if (token.kind === "option") take(options, token, known);
  }
  if (options.help !== true) checkCount(command, positionals);
  return { positionals, options };
}

export function callOf(command: CommandWords): string {
  return ["holdfast", command.name, ...command.positionals, "[options]"].join(" ");
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function take(
  options: Record<string, string | boolean | string[]>,
  token: OptionToken,
  known: Readonly<Record<string, OptionSpec>>,
): void {
  const { name, rawName, value } = token;
  const spec = Object.hasOwn(known, name) ? known[name] : undefined;
  const positive = name.replace(/^no-/, "");
  if (spec === undefined && value === undefined && Object.hasOwn(known, positive) && known[positive]?.negatable) {
    options[positive] = false;
    return;
  }
  if (spec === undefined) {
    const isText = /\s/.test(rawName) ? "; put -- before a text that starts with a dash" : "";
    throw new UsageError(`unknown option ${bareOption(rawName)}${guess(name, known)}${isText}`);
  }
  if (spec.type === "boolean") {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    options[name] = true;
    return;
  }
  const text = textOf(token, spec);
  const before = options[name];
  if (spec.multiple) options[name] = [...(Array.isArray(before) ? before : []), text];
  else if (before !== undefined) throw new UsageError(`${rawName} is given more than once`);
  else options[name] = text;
}

function textOf({ rawName, value, inlineValue }: OptionToken, spec: OptionSpec): string {
  const wanted = spec.value ?? "a value";
  if (value === undefined) throw new UsageError(`${rawName} needs ${wanted}`);
  if (inlineValue === false && value.length > 1 && value.startsWith("-")) {
    throw new UsageError(
      `${rawName} needs ${wanted}; for a value that starts with a dash, write ${rawName}=${pasted(value)}`,
    );
  }
  if (value === "" && spec.mayBeEmpty !== true)
    throw new UsageError(`${rawName} needs ${wanted}, but the value is empty`);
  return value;
}

/** What a person can paste, if it is not too long for a message. */
function pasted(value: string): string {
  return value.length > longestPasted || value.includes("\n") ? '"..."' : shellWord(value);
}

const longestPasted = 60;

function guess(name: string, known: Readonly<Record<string, OptionSpec>>): string {
  return didYouMean(name, Object.keys(known)).replace("did you mean ", "did you mean --");
}

function bareOption(rawName: string): string {
  return /^-{1,2}[\w-]{1,60}$/.test(rawName) ? rawName : quote(rawName);
}

function checkCount(command: CommandWords, positionals: readonly string[]): void {
  const least = command.positionals.filter((name) => name.startsWith("<")).length;
  const many = command.positionals.some((name) => /\.\.\.[\]>]$/.test(name));
  if (positionals.length < least) throw new UsageError(`${command.positionals[positionals.length] ?? ""} is missing`);
  const extra = many ? undefined : positionals[command.positionals.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${quote(extra)}`);
}
