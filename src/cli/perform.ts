import { resolve } from "node:path";
import { compose } from "../app/compose.ts";
import { operations } from "../app/operations.ts";
import { SessionId } from "../model/ids.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { type CliCommand, flagOption, type ParsedArguments, textOption } from "./command/command.ts";
import { inputProblem } from "./command/input-problem.ts";
import { follow } from "./follow.ts";
import { printEvents } from "./print/print-events.ts";
import { printInterruption, printRefusal, refusalValue } from "./print/print-refusal.ts";
import { exitCodes } from "./terminal/exit-codes.ts";
import type { Io } from "./terminal/io.ts";
import type { Paint } from "./terminal/paint.ts";
import { oneLine, revealed, sanitize } from "./terminal/sanitize.ts";
import { UsageError } from "./terminal/usage-error.ts";

/** Hands a command's words to its operation and prints the answer. */
export async function perform(
  command: CliCommand,
  parsed: ParsedArguments,
  io: Io,
  paint: Paint,
  errPaint: Paint,
): Promise<number> {
  const json = flagOption(parsed, "json") === true;
  const caller = callerOf(parsed, io, json);
  const operation = operations[json ? (command.jsonOperation ?? command.operation) : command.operation];
  const given = await command.input(parsed, io);
  const input = operation.input.safeParse(given);
  if (!input.success) throw new UsageError(inputProblem(command, given, input.error.issues[0]));
  const deps = compose(io.cwd, caller);
  const refuse = (refusal: Refusal) => {
    if (json) io.out(`${JSON.stringify(refusalValue(refusal))}\n`);
    else if (io.signal.aborted && refusal.code === "gate-failed") io.err(printInterruption(refusal, errPaint));
    else io.err(printRefusal(refusal, errPaint));
    return exitCodes.refused;
  };
  if (flagOption(parsed, "follow")) {
    const refusal = await followLog(deps, input.data, io, json ? null : paint);
    return refusal === null ? exitCodes.done : refuse(refusal);
  }
  const run = operation.run as (deps: Deps, input: unknown) => ReturnType<typeof operation.run>;
  const outcome = await run(deps, input.data);
  await deps.journal.settle();
  if (!outcome.ok) return refuse(outcome.refusal);
  const value = outcome.value as never;
  if (json) io.out(`${JSON.stringify(value)}\n`);
  else io.out(command.print(command.verbatim ? value : sanitize(value), paint, parsed));
  return command.failed?.(value) ? exitCodes.refused : exitCodes.done;
}

function followLog(deps: Deps, input: unknown, io: Io, paint: Paint | null): Promise<Refusal | null> {
  const { after = 0, run } = operations.log.input.parse(input);
  return follow({
    io,
    run,
    after,
    read: (meant, last) => operations.log.run(deps, { run: meant, after: last }),
    print: (log) =>
      paint === null
        ? log.events.map((event) => `${JSON.stringify(event)}\n`).join("")
        : printEvents(sanitize(log.events), paint, log),
  });
}

/** Who calls. A program that asked for JSON is not asked anything back. */
function callerOf(parsed: ParsedArguments, io: Io, json: boolean): Caller {
  const name = textOption(parsed, "as");
  const secretFile = textOption(parsed, "secret-file");
  if ((name === undefined) !== (secretFile === undefined)) {
    throw new UsageError("--as and --secret-file go together", "give both, or neither");
  }
  if (name !== undefined && oneLine(name) !== name) throw new UsageError("--as wants a plain name on one line");
  return {
    env: io.env,
    session: sessionOf(parsed, io),
    isTerminal: io.isTerminal,
    as: name !== undefined && secretFile !== undefined ? { name, secretFile: resolve(io.cwd, secretFile) } : undefined,
    confirm:
      io.isTerminal && !json
        ? async (question) => /^y(es)?$/i.test((await io.ask(`${revealed(question)} [y/N] `)).trim())
        : undefined,
    progress: json ? undefined : (line) => io.progress(oneLine(line)),
    signal: io.signal,
  };
}

function sessionOf(parsed: ParsedArguments, io: Io): string | undefined {
  const named = textOption(parsed, "session");
  const session = named ?? io.env.HOLDFAST_SESSION ?? io.env.CLAUDE_CODE_SESSION_ID ?? "";
  if (session === "") return undefined;
  if (SessionId.safeParse(session).success) return session;
  throw new UsageError(`${named === undefined ? "HOLDFAST_SESSION" : "--session"} has at most 200 characters`);
}
