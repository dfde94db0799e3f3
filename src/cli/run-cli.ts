import { compose } from "../app/compose.ts";
import type { Deps } from "../app/operation.ts";
import { operations } from "../app/operations.ts";
import { isHoldfastError } from "../errors.ts";
import { didYouMean } from "../model/nearest.ts";
import { type Refusal, wordRefusal } from "../model/refusal.ts";
import { type CliCommand, flagOption, type ParsedArguments, textOption } from "./command.ts";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { follow } from "./follow.ts";
import { commandHelp, mainHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { createPaint, type Paint } from "./paint.ts";
import { parseCommand, usage } from "./parse.ts";
import { printEvents } from "./print-lists.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** The whole command line as one function of its words: no process, no console, no exit. */
export async function runCli(words: readonly string[], io: Io): Promise<number> {
  const json = words.includes("--json");
  const paint = createPaint(io.colours && !words.includes("--no-color"), io.columns);
  try {
    return await dispatch(words, io, paint);
  } catch (error) {
    if (error instanceof UsageError) {
      const [message = "", ...rest] = error.message.split("\n");
      if (json) io.out(`${JSON.stringify({ error: { code: "usage", message, next: nextOf(rest) } })}\n`);
      else io.err(`${paint.bad("usage:")} ${error.message}\n`);
      return exitCodes.usage;
    }
    if (!isHoldfastError(error)) throw error;
    const { code, message, next } = error;
    if (json) io.out(`${JSON.stringify({ error: { code, message, next } })}\n`);
    else io.err(`${paint.bad("failed:")} ${message} (${code})\n  Next  ${next}\n`);
    return exitCodes.failed;
  }
}

async function dispatch(words: readonly string[], io: Io, paint: Paint): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const about = commands.find((command) => command.name === rest[0]);
    io.out(about === undefined ? mainHelp(paint) : commandHelp(about, paint));
    return exitCodes.done;
  }
  if (name === "--version" || name === "-v") {
    io.out(`${version()}\n`);
    return exitCodes.done;
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    const known = commands.map((each) => each.name);
    throw new UsageError(`there is no command "${name}"${didYouMean(name, known)}\n  Next   holdfast --help`);
  }
  const parsed = parseCommand(command, rest);
  if (flagOption(parsed, "help")) {
    io.out(commandHelp(command, paint));
    return exitCodes.done;
  }
  return perform(command, parsed, io, paint);
}

async function perform(command: CliCommand, parsed: ParsedArguments, io: Io, paint: Paint): Promise<number> {
  const json = flagOption(parsed, "json") === true;
  const deps = compose(io.cwd, callerOf(parsed, io));
  const operation = operations[json ? (command.jsonOperation ?? command.operation) : command.operation];
  const input = operation.input.safeParse(await command.input(parsed, io));
  if (!input.success) {
    const { path, message } = input.error.issues[0] ?? { path: [], message: "" };
    throw usage(command, `${path.join(".")}: ${message}`);
  }
  if (flagOption(parsed, "follow")) return followLog(deps, input.data, io, json ? null : paint);
  const run = operation.run as (deps: Deps, input: unknown) => ReturnType<typeof operation.run>;
  const outcome = await run(deps, input.data);
  if (!outcome.ok) return refused(outcome.refusal, json, io, paint);
  io.out(json ? `${JSON.stringify(outcome.value)}\n` : command.print(outcome.value as never, paint, parsed));
  return command.failed?.(outcome.value as never) ? exitCodes.refused : exitCodes.done;
}

async function followLog(deps: Deps, input: unknown, io: Io, paint: Paint | null): Promise<number> {
  const { after = 0, run } = operations.log.input.parse(input);
  const refusal = await follow({
    io,
    run,
    after,
    read: (meant, last) => operations.log.run(deps, { run: meant, after: last }),
    print: ({ events }) =>
      paint === null ? events.map((event) => `${JSON.stringify(event)}\n`).join("") : printEvents(events, paint),
  });
  return refusal === null ? exitCodes.done : refused(refusal, paint === null, io, paint ?? createPaint(false, 80));
}

function refused(refusal: Refusal, json: boolean, io: Io, paint: Paint): number {
  const { message, next } = wordRefusal(refusal);
  if (json) io.out(`${JSON.stringify({ error: { code: refusal.code, message, next } })}\n`);
  else io.err(`${paint.bad("refused:")} ${message} (${refusal.code})\n  Next  ${next}\n`);
  return exitCodes.refused;
}

function callerOf(parsed: ParsedArguments, io: Io): Deps["caller"] {
  const name = textOption(parsed, "as");
  const secretFile = textOption(parsed, "secret-file");
  if ((name === undefined) !== (secretFile === undefined)) throw new UsageError("--as and --secret-file go together");
  const session = textOption(parsed, "session") ?? io.env.HOLDFAST_SESSION;
  return {
    env: io.env,
    session: session === "" ? undefined : session,
    isTerminal: io.isTerminal,
    as: name !== undefined && secretFile !== undefined ? { name, secretFile } : undefined,
    confirm: io.isTerminal
      ? async (question) => /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())
      : undefined,
    progress: (line) => io.progress(line),
    signal: io.signal,
  };
}

function nextOf(lines: readonly string[]): string {
  return lines.at(-1)?.replace(/^\s*Next\s+/, "") ?? "holdfast --help";
}
