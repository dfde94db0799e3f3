import { parseArgs } from "node:util";
import type { CliCommand, OptionSpec, ParsedArguments } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** Understood by every sub-command. */
export const commonOptions: Readonly<Record<string, OptionSpec>> = {
  run: { type: "string", value: "ID", about: "the run that is meant (also --run-id)" },
  "run-id": { type: "string", value: "ID", about: "the same as --run" },
  session: { type: "string", value: "ID", about: "the agent's session that calls" },
  as: { type: "string", value: "NAME", about: "act as this person, with --secret-file" },
  "secret-file": { type: "string", value: "FILE", about: "a file that holds your secret" },
  json: { type: "boolean", about: "print one JSON value" },
  "no-color": { type: "boolean", about: "no colours" },
  help: { type: "boolean", about: "show this" },
};

export function parseCommand(command: CliCommand, words: readonly string[]): ParsedArguments {
  const options = { ...commonOptions, ...command.options };
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => [name, { type, ...(multiple && { multiple }) }]),
  );
  const parsed = parseWords(command, words, known);
  const least = command.positionals.filter((name) => name.startsWith("<")).length;
  const most = command.positionals.some((name) => name.endsWith("...]"))
    ? Number.POSITIVE_INFINITY
    : command.positionals.length;
  const missing = command.positionals[parsed.positionals.length];
  if (parsed.options.help === true) return parsed;
  if (parsed.positionals.length < least) throw usage(command, `${missing ?? ""} is missing`);
  if (parsed.positionals.length > most)
    throw usage(command, `"${parsed.positionals[most] ?? ""}" is one word too many`);
  return parsed;
}

/** One line on what is wrong, and how the call goes. */
export function usage(command: CliCommand, problem: string): UsageError {
  const call = ["holdfast", command.name, ...command.positionals, "[options]"].join(" ");
  return new UsageError(`${problem}\n  Usage  ${call}\n  Next   holdfast ${command.name} --help`);
}

type Known = Record<string, { type: "string" | "boolean"; multiple?: boolean }>;

function parseWords(command: CliCommand, words: readonly string[], options: Known): ParsedArguments {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    return { options: values, positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usage(
      command,
      (error.message.split(". To specify")[0] ?? error.message).replace(/^./, (c) => c.toLowerCase()),
    );
  }
}
