import { createInterface } from "node:readline";
import { isRecord, parseJson } from "../../model/json.ts";
import { findProgram, programPath } from "../../platform/find-program.ts";
import { type GuardedProcess, startGuarded } from "../../platform/guarded-process.ts";
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
    can: { converse: false, compact: false, stream: false, reportCost: false, callTools: false },
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
  let current: GuardedProcess | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  const stop = () => {
    const stopped = current;
    stopped?.signal("SIGTERM");
    setTimeout(() => stopped === current && stopped?.signal("SIGKILL"), graceMs).unref();
  };
  return {
    prompt(text) {
      const turn = ask(argv, options, text, (started) => {
        current = started;
      });
      ended = turn.finally(() => {
        current = null;
      });
      return turn;
    },
    compact: async () => false,
    clear: async () => true,
    interrupt: stop,
    async close() {
      stop();
      await ended;
    },
  };
}

function ask(
  argv: readonly string[],
  { cwd, env, onEvent }: SessionOptions,
  text: string,
  started: (process: GuardedProcess) => void,
): Promise<Turn> {
  const guarded = startGuarded({ argv, cwd, env }, "pipe");
  if (typeof guarded === "string") return Promise.resolve(failed("not-started", guarded));
  started(guarded);
  const { child } = guarded;
  const answer = createHead(longestAnswer);
  const tail = createTail(tailBytes);
  child.stdout?.on("data", answer.push);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", tail.push);
    if (stream) createInterface({ input: stream }).on("line", (text) => onEvent({ type: "text", text }));
  }
  // A program need not read its prompt.
  child.stdin?.on("error", () => {});
  child.stdin?.end(text);
  return new Promise((resolve) => {
    const finish = (turn: () => Turn) => {
      guarded.killAll();
      guarded.afterOutput(() => resolve(turn()));
    };
    child.once("error", (error) => finish(() => failed("not-started", guarded.wordProblem(error))));
    child.once("exit", (code, signal) =>
      finish(() => {
        onEvent({ type: "usage", turns: 1, tokens: null });
        return turnOf(code, signal, answer.whole(), tail.text());
      }),
    );
  });
}

/** The shell that guards the program reports its death by a signal as 128 and more. */
const signalled = 128;
const notFound = [126, 127];

function turnOf(code: number | null, signal: string | null, printed: Buffer | null, tail: string): Turn {
  if (code === null || code > signalled) {
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
  return result === null
    ? failed("garbage", 'the JSON in its last line must have texts as "outcome" and "output", or a list as "tasks"')
    : { type: "answered", text, result };
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
const keys = ["outcome", "output", "failed", "tasks"];

/** An answer may end with one line of JSON; otherwise all of it is the output. Null if that line is no result. */
function resultIn(text: string): Result | null {
  const lines = text.trimEnd().split("\n");
  const said = parseJson(lines.at(-1) ?? "");
  if (!isRecord(said) || !keys.some((key) => Object.hasOwn(said, key))) return { output: text.trimEnd() };
  const { outcome, output = lines.slice(0, -1).join("\n").trimEnd(), failed: hasFailed, tasks } = said;
  const isFit =
    typeof output === "string" &&
    (outcome === undefined || typeof outcome === "string") &&
    (hasFailed === undefined || typeof hasFailed === "boolean") &&
    (tasks === undefined || Array.isArray(tasks));
  if (!isFit) return null;
  return {
    output,
    ...(outcome !== undefined && { outcome }),
    ...(hasFailed === true && { failed: true as const }),
    ...(tasks !== undefined && { tasks }),
  };
}

function failed(kind: AgentFailure["kind"], reason: string): Turn {
  return { type: "failed", failure: { kind, reason } };
}
