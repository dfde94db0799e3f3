import { StringDecoder } from "node:string_decoder";
import { isRecord, parseJson } from "../../model/json.ts";
import { findProgram, programPath } from "../../platform/find-program.ts";
import { startGuarded } from "../../platform/guarded-process.ts";
import { createHead, createTail } from "../../platform/tail.ts";
import type { Agent, AgentFailure, AgentSession, Result, SessionOptions, Turn } from "./agent.ts";

/**
 * Any program as an agent: it gets the prompt on standard input and prints its answer. Exit code 0 ends the visit with that
 * answer; another one means that the work has failed.
 */
export function createCommandAgent(argv: readonly string[], cwd: string, path: string): Agent {
  const [program = ""] = argv;
  return {
    name: `command:${program}`,
    can: {
      converse: false,
      compact: false,
      resume: false,
      stream: false,
      reportCost: false,
      ends: "printed",
      obey: false,
    },
    async inspect() {
      const found = findProgram(program, cwd, path);
      return found === null ? `there is no program ${program}` : { version: undefined, pays: undefined };
    },
    open: (options) => createSession([programPath(program, cwd), ...argv.slice(1)], options),
  };
}

/** The same limit as for the output of a visit. */
const longestAnswer = 1_000_000;
const tailBytes = 4_000;
const graceMs = 2_000;

/** Every prompt is a process of its own, so there is no conversation to compact or clear. */
function createSession(argv: readonly string[], options: SessionOptions): AgentSession {
  let current: Asked | null = null;
  const stop = () => {
    const stopped = current;
    stopped?.stop("SIGTERM");
    setTimeout(() => stopped === current && stopped?.stop("SIGKILL"), graceMs).unref();
  };
  return {
    async prompt({ text }) {
      const asked = ask(argv, options, text);
      current = asked;
      const turn = await asked.turn;
      current = null;
      return turn;
    },
    compact: async () => false,
    clear: async () => true,
    interrupt: stop,
    async close() {
      stop();
      await current?.turn;
    },
  };
}

interface Asked {
  readonly turn: Promise<Turn>;
  stop(signal: NodeJS.Signals): void;
}

function ask(argv: readonly string[], { cwd, env, onEvent }: SessionOptions, text: string): Asked {
  const guarded = startGuarded({ argv, cwd, env }, "pipe");
  if (typeof guarded === "string") return { turn: Promise.resolve(failed("not-started", guarded)), stop() {} };
  const { child } = guarded;
  let isStopped = false;
  const answer = createHead(longestAnswer);
  const tail = createTail(tailBytes);
  child.stdout?.on("data", answer.push);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", tail.push);
    stream?.on("data", () => onEvent({ type: "alive" }));
    const lines = createLines((lines) => onEvent({ type: "text", text: lines }));
    stream?.on("data", lines.push);
    stream?.once("close", lines.end);
  }
  // A program need not read its prompt.
  child.stdin?.on("error", () => {});
  child.stdin?.end(text);
  const turn = new Promise<Turn>((resolve) => {
    const finish = (end: () => Turn) => {
      guarded.killAll();
      guarded.afterOutput(() => resolve(end()));
    };
    child.once("error", (error) => finish(() => failed("not-started", guarded.wordProblem(error))));
    child.once("exit", (code, signal) => {
      // Whatever it says now, it says because it was told to end.
      const wasStopped = isStopped;
      finish(() => {
        onEvent({ type: "usage", turns: 1, tokens: null });
        if (wasStopped) return failed("lost", `the program was stopped${shown(tail.text())}`);
        return turnOf(code, signal, answer.whole(), tail.text());
      });
    });
  });
  return {
    turn,
    stop(signal) {
      isStopped = true;
      guarded.signal(signal);
    },
  };
}

/** A line is passed on in pieces only if it is longer than this. */
const longestLine = 64 * 1024;

/** Passes on whole lines: a secret or a character that came in two pieces would not be recognized. */
function createLines(tell: (lines: string) => void): { push(this: void, chunk: Buffer): void; end(this: void): void } {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const tellUpTo = (end: number) => {
    if (end > 0) tell(rest.slice(0, end));
    rest = rest.slice(end);
  };
  return {
    push(chunk) {
      rest += decoder.write(chunk);
      const end = rest.lastIndexOf("\n") + 1;
      tellUpTo(end === 0 && rest.length > longestLine ? rest.length : end);
    },
    end() {
      rest += decoder.end();
      tellUpTo(rest.length);
    },
  };
}

/** The shell that guards the program reports its death by a signal as 128 and more. */
const signalled = 128;
const lastSignal = 64;
const notFound = [126, 127];

function turnOf(code: number | null, signal: string | null, printed: Buffer | null, tail: string): Turn {
  if (code === null || (code > signalled && code <= signalled + lastSignal)) {
    const how = signal ?? `signal ${(code ?? signalled) - signalled}`;
    return failed("lost", `the program was ended by ${how}${shown(tail)}`);
  }
  if (notFound.includes(code))
    return failed("not-started", `the program cannot be started (exit ${code})${shown(tail)}`);
  if (code !== 0) {
    return { type: "answered", text: tail, result: { output: `exit ${code}${shown(tail)}`, failed: true } };
  }
  if (printed === null) return failed("garbage", `it printed more than ${longestAnswer} bytes`);
  return answerIn(printed);
}

function shown(tail: string): string {
  return tail.trim() === "" ? "" : `:\n${tail.trim()}`;
}

function answerIn(printed: Buffer): Turn {
  const text = decode(printed);
  if (text === null) return failed("garbage", "it printed something that is not text");
  if (text.trim() === "") return failed("empty", "it printed nothing");
  const result = resultIn(text);
  if (result === null) {
    return failed(
      "garbage",
      'the JSON in its last line must have texts as "outcome" and "output", a list as "tasks", values by name as "variables" and "artifacts"',
    );
  }
  const { output, ...rest } = result;
  if (output.trim() === "" && Object.keys(rest).length === 0) return failed("empty", "its output is empty");
  const isSilent = result.failed === true && output.trim() === "";
  return { type: "answered", text, result: isSilent ? { ...result, output: "the agent gave no reason" } : result };
}

function decode(printed: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(printed);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** The keys that make a last line of JSON a result. */
const keys = ["outcome", "output", "failed", "tasks", "variables", "artifacts"];

/** An answer may end with one line of JSON; otherwise all of it is the output. Null if that line is no result. */
function resultIn(text: string): Result | null {
  const lines = text.trimEnd().split("\n");
  const said = parseJson(lines.at(-1) ?? "");
  if (!isRecord(said) || !keys.some((key) => Object.hasOwn(said, key))) return { output: text.trimEnd() };
  const {
    outcome,
    output = lines.slice(0, -1).join("\n").trimEnd(),
    failed: hasFailed,
    tasks,
    variables,
    artifacts,
  } = said;
  const isFit =
    typeof output === "string" &&
    (outcome === undefined || typeof outcome === "string") &&
    (hasFailed === undefined || typeof hasFailed === "boolean") &&
    (tasks === undefined || Array.isArray(tasks));
  const isNamed = areValues(variables, ["string", "number", "boolean"]) && areValues(artifacts, ["string"]);
  if (!isFit || !isNamed) return null;
  return {
    output,
    ...(outcome !== undefined && { outcome }),
    ...(hasFailed === true && { failed: true as const }),
    ...(tasks !== undefined && { tasks }),
    ...(variables !== undefined && { variables: variables as NonNullable<Result["variables"]> }),
    ...(artifacts !== undefined && { artifacts: artifacts as NonNullable<Result["artifacts"]> }),
  };
}

/** Whether these are values by name, of such types, or none. */
function areValues(value: unknown, types: readonly string[]): boolean {
  return value === undefined || (isRecord(value) && Object.values(value).every((part) => types.includes(typeof part)));
}

function failed(kind: AgentFailure["kind"], reason: string): Turn {
  return { type: "failed", failure: { kind, reason } };
}
