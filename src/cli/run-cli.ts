import { isHoldfastError, isInterruption } from "../errors.ts";
import { didYouMean } from "../model/nearest.ts";
import { quote } from "../model/quote.ts";
import { visibleJson } from "../model/written/unseen-text.ts";
import { version } from "../project/version.ts";
import { type CliCommand, type CommandWords, defineCommand, flagOption, type LocalCommand } from "./command/command.ts";
import { callOf, parseCommand } from "./command/parse.ts";
import { commands } from "./commands.ts";
import { commandHelp, faces, familyHelp, mainHelp, wholeHelp } from "./help.ts";
import { isVerbatim, perform } from "./perform.ts";
import { printProject } from "./print/print-project.ts";
import { exitCodes } from "./terminal/exit-codes.ts";
import type { Io, StreamStyle } from "./terminal/io.ts";
import { beside, facts } from "./terminal/layout.ts";
import { createPaint, type Paint } from "./terminal/paint.ts";
import { sanitizeOutput, sanitizeText } from "./terminal/sanitize.ts";
import { isInterrupted, isUsageError, UsageError } from "./terminal/usage-error.ts";

/** The command line as a function of its arguments: it touches no process, console or exit code. */
export async function runCli(words: readonly string[], streams: Io): Promise<number> {
  const [name, ...rest] = words;
  const command = commandIn(words);
  const isExact = command !== undefined && "texts" in command && isVerbatim(command, streams);
  const io = guarded(streams, words.includes("--json") ? visibleJson : isExact ? asItIs : sanitizeOutput);
  try {
    if (command !== undefined) return await runCommand(command, words.slice(wordsOf(command).length), io);
    if (name === undefined)
      return await perform(home, { positionals: [], options: {} }, io, outPaint(io, []), errPaint(io, []));
    return introduce(name, rest, io, words.includes("--json"));
  } catch (error) {
    return explain(error, command, words, io);
  }
}

/** For a program that reads the very bytes. Messages beside them are guarded all the same. */
const asItIs = (text: string) => text;

/** Nothing reaches a person that could steer the terminal or hide. */
function guarded(io: Io, guard: (text: string) => string): Io {
  return Object.create(io, {
    out: { value: (text: string) => io.out(guard(text)) },
    err: { value: (text: string) => io.err(sanitizeOutput(text)) },
    ask: { value: (question: string) => io.ask(sanitizeOutput(question)) },
    progress: { value: (line: string) => io.progress(sanitizeOutput(line)) },
    panel: { value: (lines: readonly string[]) => io.panel(lines.map(sanitizeOutput)) },
  }) as Io;
}

/** The program without a command: the state of the project, or the help where Holdfast was never used. */
const home = defineCommand({
  name: "",
  area: "Inspect runs",
  operation: "project",
  positionals: [],
  options: {},
  about: "",
  examples: [],
  input: async () => ({}),
  print: (value, paint) => (value.isProject ? printProject(value, paint) : mainHelp(paint)),
});

/** Some commands have two words, such as `track start`. */
function commandIn(words: readonly string[]): CliCommand | LocalCommand | undefined {
  return commands.find((command) => wordsOf(command).every((word, index) => word === words[index]));
}

function wordsOf({ name }: CommandWords): string[] {
  return name.split(" ");
}

async function runCommand(command: CliCommand | LocalCommand, words: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommand(command, words);
  if (flagOption(parsed, "help")) {
    const json = flagOption(parsed, "json") === true;
    return tell(io, json, "help", commandHelp(command, outPaint(io, words)));
  }
  if ("act" in command)
    return command.act(parsed, io, outPaint(io, words), errPaint(io, words), [...commands, ...faces]);
  return perform(command, parsed, io, outPaint(io, words), errPaint(io, words));
}

/** Calls without a command: help and version. */
function introduce(name: string, rest: readonly string[], io: Io, json: boolean): number {
  const paint = outPaint(io, rest);
  if (name === "--version" || name === "-v") return tell(io, json, "version", `${version()}\n`);
  const isHelp = name === "--help" || name === "-h" || name === "help";
  if (isHelp) {
    const topic = name === "help" ? rest.filter((word) => !word.startsWith("-")) : [];
    const main = rest.includes("--all") ? wholeHelp : mainHelp;
    return tell(io, json, "help", topic.length === 0 ? main(paint) : topicHelp(topic, paint));
  }
  if (name.startsWith("-")) throw new UsageError("options come after the command");
  return tell(io, json, "help", topicHelp([name, ...rest.filter((word) => !word.startsWith("-"))], paint));
}

/** The help of a command, or of all commands with the same first word. */
function topicHelp(words: readonly string[], paint: Paint): string {
  const [first = "", second] = words;
  const command = commandIn(words);
  if (command !== undefined) return commandHelp(command, paint);
  const family = commands.filter((each) => wordsOf(each).length > 1 && wordsOf(each)[0] === first);
  if (family.length > 0 && second === undefined) return familyHelp(first, family, paint);
  const asked = family.length > 0 ? `${first} ${second}` : first;
  const names = (family.length > 0 ? family : [...commands, ...faces]).map((each) => each.name);
  throw new UsageError(`unknown command ${quote(asked)}${didYouMean(asked, names)}`);
}

function tell(io: Io, json: boolean, name: string, text: string): number {
  io.out(json ? `${JSON.stringify({ [name]: text.trimEnd() })}\n` : text);
  return exitCodes.done;
}

/** Reports an error as one message: a usage error, a system error, or a bug. */
function explain(error: unknown, command: CommandWords | undefined, words: readonly string[], io: Io): number {
  if (isUsageError(error)) {
    const next = error.next ?? (command === undefined ? "holdfast --help" : `holdfast ${command.name} --help`);
    const call = command === undefined ? "holdfast <command> [options]" : callOf(command);
    const trouble = { code: "usage", message: error.message, next };
    return report(io, words, "usage:", trouble, [["Usage", call]], exitCodes.usage);
  }
  if (isInterrupted(error)) {
    const trouble = { code: "interrupted", message: error.message, next: "run the command again" };
    return report(io, words, "interrupted:", trouble, [], exitCodes.interrupted);
  }
  if (isHoldfastError(error)) {
    const { code, message, next } = error;
    const exitCode = isInterruption(error) ? exitCodes.interrupted : exitCodes.failed;
    return report(io, words, "failed:", { code, message, next }, [], exitCode);
  }
  const log = io.keepTrace(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const message = `unexpected error: ${error instanceof Error ? error.message : String(error)}`;
  const next = `${log === null ? "try again" : `see ${log}`}; holdfast status shows where the run stands`;
  return report(io, words, "failed:", { code: "unexpected", message, next }, [], exitCodes.failed);
}

interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

function report(
  io: Io,
  words: readonly string[],
  head: string,
  trouble: Trouble,
  rows: readonly (readonly [string, string])[],
  exitCode: number,
): number {
  const { code, message, next } = trouble;
  if (words.includes("--json")) io.out(`${JSON.stringify({ error: trouble })}\n`);
  else {
    const named = code === "usage" ? "" : ` (${code})`;
    const paint = errPaint(io, words);
    const said = beside(`${paint.bad(head)} `, `${sanitizeText(message)}${named}`, paint.edge);
    io.err(`${said}${facts([...rows, ["Next", next]], paint.edge)}`);
  }
  return exitCode;
}

const outPaint = (io: Io, words: readonly string[]) => createPaint(lookOf(io.styles.out, words));
const errPaint = (io: Io, words: readonly string[]) => createPaint(lookOf(io.styles.err, words));

function lookOf(look: StreamStyle, words: readonly string[]): StreamStyle {
  return words.includes("--no-color") ? { ...look, colours: false } : look;
}
