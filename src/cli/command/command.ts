import type { OperationName, operations } from "../../app/operations.ts";
import { quote } from "../../model/quote.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";

export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** Set if `--no-<name>` is an option, too. */
  readonly negatable?: boolean;
  readonly short?: string;
  /** The name of the value in the help, such as TEXT. */
  readonly value?: string;
  /** The accepted values, if they are a closed list; shell completion offers them. */
  readonly values?: readonly string[];
  /** Set if an empty value is valid, as for an output. */
  readonly mayBeEmpty?: boolean;
  readonly about: string;
}

export interface ParsedArguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export const areas = [
  "Workflows",
  "For the agent",
  "Drive an agent",
  "Track a workflow without a run",
  "Inspect runs",
  "For people",
  "Set up and maintain",
] as const;

/** How a command is called, and what its help says. */
export interface CommandWords {
  readonly name: string;
  readonly area: (typeof areas)[number];
  /** `<workflow>` is required, `[run]` is optional, `[files...]` is repeatable. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly about: string;
  readonly examples: readonly string[];
}

/** One command: how its arguments become the input of an operation, and how the reply is printed. */
export interface CliCommand<Name extends OperationName = OperationName> extends CommandWords {
  readonly operation: Name;
  /** The operation for --json, if people are shown more than a program needs. */
  readonly jsonOperation?: OperationName;
  input(parsed: ParsedArguments, io: Io): Promise<Record<string, unknown>>;
  print(value: ValueOf<Name>, paint: Paint, parsed: ParsedArguments): string;
  /**
   * How texts of the reply are printed. By default what cannot be seen is removed, so that a text cannot steer the terminal or
   * hide a part of itself. `revealed` shows it as escapes: a person has to see every character. `verbatim` changes nothing, for
   * what is meant for a file; a terminal gets the default all the same.
   */
  readonly texts?: "revealed" | "verbatim";
  /** Whether a successful reply still exits with 1. */
  failed?(value: ValueOf<Name>): boolean;
}

/** A command about this machine rather than a run. It has no operation and prints its reply itself. */
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
  // Each command only gets replies of its own operation, which the type of the list of all commands cannot express.
  return command as unknown as CliCommand;
}

export function textOption(parsed: ParsedArguments, name: string): string | undefined {
  const value = parsed.options[name];
  return typeof value === "string" ? value : undefined;
}

export function flagOption(parsed: ParsedArguments, name: string): boolean | undefined {
  return parsed.options[name] === true ? true : undefined;
}

/** A negatable option: undefined if neither form is given. */
export function choiceOption(parsed: ParsedArguments, name: string): boolean | undefined {
  const value = parsed.options[name];
  return typeof value === "boolean" ? value : undefined;
}

export function listOption(parsed: ParsedArguments, name: string): readonly string[] {
  const value = parsed.options[name];
  return typeof value === "object" ? value : [];
}

/** The run id, from the argument if the command takes one, or from an option. Undefined if none is given. */
export function runOption(parsed: ParsedArguments, word?: string): string | undefined {
  const named = [word, textOption(parsed, "run"), textOption(parsed, "run-id")].filter((id) => id !== undefined);
  const [first, ...others] = new Set(named);
  if (others.length > 0)
    throw new UsageError(`two different runs are given: ${quote(first ?? "")} and ${quote(others[0] ?? "")}`);
  return first;
}
