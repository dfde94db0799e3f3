import type { OperationName, operations } from "../../app/operations.ts";
import { quote } from "../../model/quote.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";

export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly short?: string;
  /** How the value is called in the help, such as TEXT. */
  readonly value?: string;
  /** Every value that is accepted, where these are few; completion offers them. */
  readonly values?: readonly string[];
  /** Where an empty text says something: an empty output is one. */
  readonly mayBeEmpty?: boolean;
  readonly about: string;
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export const areas = [
  "workflows",
  "an agent's calls",
  "a workflow without a run",
  "looking",
  "a person's",
  "upkeep",
] as const;

/** How a sub-command is called, and what its help says. */
export interface CommandWords {
  readonly name: string;
  readonly area: (typeof areas)[number];
  /** `<workflow>` is needed, `[run]` may be left out, `[files...]` may be many. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly about: string;
  readonly examples: readonly string[];
}

/** One sub-command: how its words become an operation's input, and how the answer reads. */
export interface CliCommand<Name extends OperationName = OperationName> extends CommandWords {
  readonly operation: Name;
  /** What --json answers with, where a person is shown more than a program needs. */
  readonly jsonOperation?: OperationName;
  input(parsed: ParsedArguments, io: Io): Promise<Record<string, unknown>>;
  print(value: ValueOf<Name>, paint: Paint, parsed: ParsedArguments): string;
  /** The answer is printed as it is, sign by sign; else nothing in it can steer the terminal. */
  readonly verbatim?: boolean;
  /** Whether an answer still counts as a no for scripts. */
  failed?(value: ValueOf<Name>): boolean;
}

/** A sub-command that concerns no run but the machine that it is called on; it answers by itself. */
export interface LocalCommand extends CommandWords {
  act(
    parsed: ParsedArguments,
    io: Io,
    paint: Paint,
    errPaint: Paint,
    commands: readonly CommandWords[],
  ): Promise<number>;
}

export type ValueOf<Name extends OperationName> =
  Awaited<ReturnType<(typeof operations)[Name]["run"]>> extends infer Outcome
    ? Outcome extends { ok: true; value: infer Value }
      ? Value
      : never
    : never;

export function defineCommand<Name extends OperationName>(command: CliCommand<Name>): CliCommand {
  // A command is only ever given the answer of its own operation, which a list of all commands cannot say.
  return command as unknown as CliCommand;
}

export function textOption(parsed: ParsedArguments, name: string): string | undefined {
  const value = parsed.options[name];
  return typeof value === "string" ? value : undefined;
}

export function flagOption(parsed: ParsedArguments, name: string): boolean | undefined {
  return parsed.options[name] === true ? true : undefined;
}

export function listOption(parsed: ParsedArguments, name: string): readonly string[] {
  const value = parsed.options[name];
  return typeof value === "object" ? value : [];
}

/** The run that is meant, where one is named: as a word of the call where the command takes one, else as an option. */
export function runOption(parsed: ParsedArguments, word?: string): string | undefined {
  const named = [word, textOption(parsed, "run"), textOption(parsed, "run-id")].filter((id) => id !== undefined);
  const [first, ...others] = new Set(named);
  if (others.length > 0)
    throw new UsageError(`two runs are named: ${quote(first ?? "")} and ${quote(others[0] ?? "")}`);
  return first;
}
