import { resolve } from "node:path";
import { hostSession } from "../../hosts/contracts.ts";
import type { Caller } from "../../operation/operation.ts";
import type { Io } from "../terminal/io.ts";
import { refuseMissing } from "../terminal/read-text.ts";
import { oneLine, revealed } from "../terminal/sanitize.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { type ParsedArguments, textOption } from "./command.ts";

/** Who calls on the command line. With --json nothing is asked: a program is reading. */
export function callerOf(parsed: ParsedArguments, io: Io, json: boolean): Caller {
  const name = textOption(parsed, "as");
  const secretFile = textOption(parsed, "secret-file");
  if ((name === undefined) !== (secretFile === undefined)) {
    throw new UsageError("--as and --secret-file must be used together", "give both, or neither");
  }
  if (name !== undefined && oneLine(name) !== name) throw new UsageError("--as needs a plain name on one line");
  if (secretFile !== undefined) refuseMissing(io, secretFile);
  return {
    face: "cli",
    env: io.env,
    session: sessionOf(parsed, io),
    isTerminal: io.isTerminal,
    surroundings: () => io.surroundings(),
    as: name !== undefined && secretFile !== undefined ? { name, secretFile: resolve(io.cwd, secretFile) } : undefined,
    confirm:
      io.isTerminal && !json
        ? async (question) => /^y(es)?$/i.test((await io.ask(`${revealed(question)} [y/N] `)).trim())
        : undefined,
    ask: io.isTerminal && !json ? (question) => io.ask(`${revealed(question)}\n> `) : undefined,
    progress: json ? undefined : (line) => io.progress(oneLine(line)),
    signal: io.signal,
  };
}

/** The limit of the SessionId schema. It is repeated here because loading zod for it would slow down every start. */
const longestSession = 200;

function sessionOf(parsed: ParsedArguments, io: Io): string | undefined {
  const named = textOption(parsed, "session");
  const session = named ?? io.env.HOLDFAST_SESSION ?? hostSession(io.env) ?? "";
  if (session === "") return undefined;
  if (session.length <= longestSession) return session;
  throw new UsageError(`${named === undefined ? "HOLDFAST_SESSION" : "--session"} must have at most 200 characters`);
}
