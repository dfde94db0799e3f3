import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { Project } from "../cli/program.ts";
import { endProcesses } from "./end-processes.ts";

/** Messages of JSON-RPC have no type. */
const clientEvent = z.looseObject({ type: z.string().default("") });

/** One line of JSON that a program prints. */
export type ClientEvent = z.infer<typeof clientEvent>;

export interface ClientCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly project: Project;
  /** Where it starts, below the project. */
  readonly folder?: string | undefined;
  /** Beyond the environment of the project; nothing of ours is handed down. */
  readonly env: Readonly<Record<string, string>>;
  /** How long any one wait may take. */
  readonly timeoutMs: number;
}

export interface ClientProcess {
  /** All events so far. */
  readonly events: readonly ClientEvent[];
  /** Writes one line of JSON to its input. */
  send(value: unknown): void;
  /** The place of the first matching event from a place on, once it has come. */
  until(matches: (event: ClientEvent) => boolean, from: number): Promise<number>;
  /** What it has said outside its events, once that matches. */
  untilSaid(pattern: RegExp): Promise<RegExpExecArray>;
  /** Closes its input and waits for its end. */
  end(): Promise<void>;
  /** Kills it with all that it started, and waits for that. */
  kill(): Promise<void>;
  /** An error that shows what the program said. */
  problem(what: string): Error;
}

/** Runs a program that prints lines of JSON. With the test it ends, and all that it started. */
export function startClient(call: ClientCall): ClientProcess {
  const { program, project, timeoutMs } = call;
  const child = spawnIn(call);
  const events: ClientEvent[] = [];
  const changes = new EventEmitter();
  let said = "";
  let end: string | null = null;
  const ended = (how: string) => {
    end ??= how;
    changes.emit("change");
  };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-8_000);
    changes.emit("change");
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = parsed(line);
    if (event === null) said += `${line}\n`;
    else events.push(event);
    changes.emit("change");
  });
  // It may end before it has read what is sent; its end is the news then.
  child.stdin.on("error", () => {});
  child.once("error", (error) => ended(`could not start: ${error.message}`));
  child.once("exit", () => closeSoon(child));
  child.once("close", (code, signal) => ended(`ended with ${code ?? signal}`));
  onTestFinished(async () => {
    endProcesses(project.home);
    // The folder that it writes to is removed next.
    while (end === null) await once(changes, "change");
  });

  const problem = (what: string) =>
    new Error(`${program} ${what}; it said:\n${said}\nits last events:\n${events.slice(-5).map(shortened).join("\n")}`);

  async function wait<T>(look: () => T | null, what: string): Promise<T> {
    const patience = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = look();
      if (found !== null) return found;
      if (end !== null) throw problem(`${end} before ${what}`);
      try {
        await once(changes, "change", { signal: patience });
      } catch (error) {
        if (!patience.aborted) throw error;
        child.kill("SIGKILL");
        throw problem(`took more than ${timeoutMs} ms to come to ${what}`);
      }
    }
  }

  return {
    events,
    problem,
    send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    until: (matches, from) => wait(() => placeOf(events, matches, from), "the event that is waited for"),
    untilSaid: (pattern) => wait(() => pattern.exec(said), `saying ${pattern}`),
    async end() {
      child.stdin.end();
      await wait(() => end, "its end");
    },
    async kill() {
      endProcesses(project.home);
      await wait(() => end, "its end");
    },
  };
}

function spawnIn({ program, args, project, folder = ".", env }: ClientCall): ChildProcessWithoutNullStreams {
  // Both programs leave files in the system's folder for them otherwise.
  const temporary = join(project.home, "tmp");
  mkdirSync(temporary, { recursive: true });
  const environment = { ...project.env, TMPDIR: temporary, ...env };
  return spawn(program, args, { cwd: join(project.root, folder), env: environment });
}

/** What it has started and not ended may hold its pipes open, and is not waited for. */
function closeSoon(child: ChildProcessWithoutNullStreams): void {
  setTimeout(() => {
    for (const stream of child.stdio) stream?.destroy();
  }, 500);
}

function parsed(line: string): ClientEvent | null {
  try {
    return clientEvent.parse(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

function shortened(event: ClientEvent): string {
  return JSON.stringify(event).slice(0, 1_000);
}

function placeOf(
  events: readonly ClientEvent[],
  matches: (event: ClientEvent) => boolean,
  from: number,
): number | null {
  const place = events.findIndex((event, index) => index >= from && matches(event));
  return place === -1 ? null : place;
}
