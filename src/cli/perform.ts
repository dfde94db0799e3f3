import type { compose } from "../app/compose.ts";
import type { frequentCommands } from "../app/frequent-commands.ts";
import type { frequentQueries } from "../app/frequent-queries.ts";
import type { lightQueries } from "../app/light-queries.ts";
import type { operations as allOperations, OperationName } from "../app/operations.ts";
import type { Log } from "../app/queries/read-log.ts";
import type { recordReply } from "../app/shown/record-reply.ts";
import { isInterruption } from "../errors.ts";
import { agentVariable } from "../hosts/agents.ts";
import { isRecord } from "../model/json.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import { type Caller, type Deps, type Outcome, staleFacts } from "../operation/operation.ts";
import { callerOf } from "./command/caller-of.ts";
import { type CliCommand, flagOption, type ParsedArguments } from "./command/command.ts";
import { inputProblem } from "./command/input-problem.ts";
import { follow } from "./follow.ts";
import { printEvents } from "./print/print-events.ts";
import { printInterruption, printRefusal, refusalValue } from "./print/print-refusal.ts";
import { staleText } from "./print/print-status-notes.ts";
import { exitCodes } from "./terminal/exit-codes.ts";
import type { Io } from "./terminal/io.ts";
import { beside } from "./terminal/layout.ts";
import type { Paint } from "./terminal/paint.ts";
import { revealed, sanitize, sanitizeText } from "./terminal/sanitize.ts";
import { isInterrupted, UsageError } from "./terminal/usage-error.ts";

/** Runs the operation of a command and prints the reply. */
export async function perform(
  command: CliCommand,
  parsed: ParsedArguments,
  io: Io,
  paint: Paint,
  errPaint: Paint,
): Promise<number> {
  const json = flagOption(parsed, "json") === true;
  const pick = createPicker(io, json);
  const call = { command, parsed, io, paint, errPaint, json, pick, caller: callerOf(parsed, io, json) };
  const name = json ? (command.jsonOperation ?? command.operation) : command.operation;
  const given = await command.input(parsed, io);
  const lightly = await answerLightly(call, name, given);
  if (lightly !== null) return lightly;
  const { compose, operation, recordReply } = await load(name);
  const input = operation.input.safeParse(given);
  if (!input.success) throw new UsageError(inputProblem(command, given, input.error.issues[0]));
  // The input has passed the schema of this operation, which the union of all operations cannot express.
  const perform = operation.run as Perform;
  return answer(call, { deps: compose(io.cwd, call.caller), perform, recordReply }, input.data);
}

/** Answers without schemas. Null if that cannot be done. */
async function answerLightly(call: Call, name: OperationName, given: object): Promise<number | null> {
  // No schema checks the input here: the commands of these queries check their numbers themselves.
  if (!isLight(name)) return null;
  const { compose, queries } = (await import("./light-queries.ts")).light;
  try {
    const deps = compose(call.io.cwd, call.caller);
    return deps === null ? null : await answer(call, { deps, perform: queries[name] as Perform }, given);
  } catch (error) {
    if (isInterrupted(error) || isInterruption(error)) throw error;
    // It may have been misled by what it has not checked. What is wrong is said by those who check everything.
    return null;
  }
}

function isLight(name: OperationName): name is keyof typeof lightQueries {
  return lightNames.some((each) => each === name);
}

type Perform = (deps: Deps, input: object) => Promise<Outcome<unknown>>;

/** A command as it was called. */
interface Call {
  readonly command: CliCommand;
  readonly parsed: ParsedArguments;
  readonly io: Io;
  readonly paint: Paint;
  readonly errPaint: Paint;
  readonly json: boolean;
  readonly pick: ReturnType<typeof createPicker>;
  readonly caller: Caller;
}

/** What performs it: all from one bundle, so that they share their modules. */
interface Performer {
  readonly deps: Deps;
  readonly perform: Perform;
  /** Absent where nothing is for an agent. */
  readonly recordReply?: typeof recordReply | undefined;
}

async function answer(call: Call, { deps, perform, recordReply }: Performer, input: object): Promise<number> {
  const { command, parsed, io, paint, errPaint, json, pick, caller } = call;
  const refuse = async (refusal: Refusal) => {
    if (json) io.out(`${JSON.stringify(await refusalValue(refusal))}\n`);
    else io.err(await refusalText(refusal, io, errPaint));
    return isMissingFile(refusal) ? exitCodes.usage : exitCodes.refused;
  };
  const run = async (deps: Deps, input: object) => {
    const outcome = await perform(deps, input);
    const picked = outcome.ok ? null : await pick(deps, outcome.refusal);
    return picked === null ? outcome : perform(deps, { ...input, run: picked });
  };
  if (flagOption(parsed, "follow")) {
    const read = (meant: object) => run(deps, { ...input, ...meant }) as Promise<Outcome<Log>>;
    const refusal = await followLog(read, input, io, json ? null : paint);
    return refusal === null ? exitCodes.done : refuse(refusal);
  }
  const outcome = await run(deps, input);
  const value = (
    outcome.ok ? replyOf(command, deps, outcome.value, json) : await refusalValue(outcome.refusal)
  ) as never;
  const printed = () =>
    command.print(isVerbatim(command, io) ? value : sanitize(value, textsOf(command)), paint, parsed);
  const said = outcome.ok ? printed : () => refusalText(outcome.refusal, io, errPaint);
  const content = json ? value : await said();
  if (isForAgent(command, caller)) {
    const reply = {
      kind: "command",
      ...meantBy(command, input),
      outcome: outcome as Outcome<object>,
      content,
    } as const;
    await recordReply?.(deps, reply, "now");
  }
  const tellStale = staleTeller(command, deps, { io, errPaint, json });
  const tellSettings = () => io.err(settingsText(deps, call));
  await deps.journal.settle();
  await deps.store.close();
  if (!outcome.ok) {
    const code = await refuse(outcome.refusal);
    tellStale();
    tellSettings();
    return code;
  }
  io.out(json ? `${JSON.stringify(value)}\n` : content);
  tellStale();
  tellSettings();
  return command.failed?.(value) ? exitCodes.refused : exitCodes.done;
}

/** A person is told that their settings have no effect; an agent cannot do anything about it. */
function settingsText(deps: Deps, { caller, json, errPaint }: Call): string {
  const problem = json || caller.session !== undefined ? null : deps.settingsProblem();
  if (problem === null) return "";
  return beside(`${errPaint.bad("settings:")} `, `${problem}; the defaults apply`, errPaint.edge);
}

async function refusalText(refusal: Refusal, io: Io, errPaint: Paint): Promise<string> {
  const isInterrupted = io.signal.aborted && refusal.code === "gate-failed";
  return isInterrupted ? printInterruption(refusal, errPaint) : printRefusal(refusal, errPaint);
}

/** As JSON, also whether it was read from copies because the shared store could not be used. */
function replyOf(command: CliCommand, deps: Deps, value: unknown, json: boolean): unknown {
  const stale = staleFacts(deps);
  const isTold = json && stale.storeProblem !== undefined && mayBeStale(command) && isRecord(value);
  return isTold ? { ...stale, ...value } : value;
}

/** The same in words. */
function staleTeller(
  command: CliCommand,
  deps: Deps,
  { io, errPaint, json }: { readonly io: Io; readonly errPaint: Paint; readonly json: boolean },
): () => void {
  const { area } = command;
  const away = deps.away();
  // Whoever has interrupted a question gets no answer that was made up for lack of one.
  if (away !== null && area === "Inspect runs" && isInterruption(away.problem)) throw away.problem;
  if (away === null || json || !mayBeStale(command)) return () => {};
  const text = beside("", staleText(away.asOf, away.problem.message), errPaint.edge);
  return () => io.err(errPaint.bad(text));
}

function mayBeStale({ name, area }: CliCommand): boolean {
  const isRead = area === "Inspect runs" || area === "For the agent" || takesCopies.includes(name);
  return isRead && !tellThemselves.includes(name);
}

const tellThemselves = ["status", "runs"];
/** They work with the copies here, which the shared store has brought up to date if it could. */
const takesCopies = ["export", "push", "repair"];

/** Only an agent has a session. */
function isForAgent({ area }: CliCommand, { session }: Caller): boolean {
  return session !== undefined && area === "For the agent";
}

/** The operation of a command, and the run that its caller named. */
function meantBy(
  { operation }: CliCommand,
  input: object,
): { readonly operation: string; readonly run: string | undefined } {
  const run: unknown = Reflect.get(input, "run");
  return { operation, run: typeof run === "string" ? run : undefined };
}

/** Whether every byte of the output counts, because it goes to a file or another program. */
export function isVerbatim({ texts }: Pick<CliCommand, "texts">, { styles }: Io): boolean {
  return texts === "verbatim" && styles.out.columns === null;
}

function textsOf({ texts }: CliCommand): typeof sanitizeText {
  return texts === "revealed" ? revealed : sanitizeText;
}

/** A workflow that was named by a path: a missing file has the same exit code everywhere. */
function isMissingFile(refusal: Refusal): boolean {
  return refusal.code === "workflow-unknown" && /[/\\]|\.(?:ya?ml|json)$/.test(refusal.workflow);
}

/**
 * If several runs could be meant, the one that a person at the terminal picks from a list; null if nobody is asked. Asks once,
 * also if the operation is performed again.
 */
function createPicker(io: Io, json: boolean): (deps: Deps, refusal: Refusal) => Promise<string | null> {
  const mayAsk = io.isTerminal && !json && agentVariable(io.env) === undefined;
  let picked: string | null = null;
  return async (deps, refusal) => {
    if (refusal.code !== "run-ambiguous" || !mayAsk) return null;
    picked ??= await pickOf(deps, refusal.runs, io);
    return picked;
  };
}

async function pickOf(deps: Deps, runs: readonly string[], io: Io): Promise<string | null> {
  const { queries } = (await import("./light-queries.ts")).light;
  const listed = await queries.runs(deps, {});
  const known = listed.ok ? listed.value.runs : [];
  const rows = runs.map((id) => known.find(({ runId }) => runId === id) ?? { runId: id, step: "", summary: null });
  const { pickRun } = await import("./init/pick-run.ts");
  return pickRun("Which run?", rows, io);
}

/** Loads the operation and `compose` from the same bundle, so that they share their modules. */
async function load(name: OperationName): Promise<LoadedOperation> {
  const { compose, operations, ...more } = await bundleOf(name);
  return { compose, operation: (operations as typeof allOperations)[name], ...more };
}

async function bundleOf(name: OperationName) {
  const isIn = (names: readonly string[]) => names.includes(name);
  if (isIn(queryNames)) return (await import("./frequent-queries.ts")).queries;
  return isIn(commandNames)
    ? (await import("./frequent-commands.ts")).commands
    : (await import("./all-operations.ts")).all;
}

const lightNames = ["status", "overview", "project", "runs"] as const satisfies (keyof typeof lightQueries)[];

const queryNames: readonly (keyof typeof frequentQueries)[] = [...lightNames, "sessions", "log", "show"];

const commandNames = ["next", "advance"] as const satisfies (keyof typeof frequentCommands)[];

interface LoadedOperation {
  readonly compose: typeof compose;
  readonly operation: (typeof allOperations)[OperationName];
  readonly recordReply?: typeof recordReply;
}

function followLog(
  read: (meant: { run: string | undefined; after: number; brief: boolean }) => Promise<Outcome<Log>>,
  input: object,
  io: Io,
  paint: Paint | null,
): Promise<Refusal | null> {
  const { after = 0, run } = input as { after?: number; run?: string };
  return follow({
    io,
    run,
    after,
    read: (meant, last) => read({ run: meant, after: last, brief: paint !== null }),
    print: (log) =>
      paint === null
        ? log.events.map((event) => `${JSON.stringify(event)}\n`).join("")
        : printEvents(sanitize(log.events), paint, log),
  });
}
