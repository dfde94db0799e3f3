import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../../src/cli/run-cli.ts";
import { recordedIo } from "./recorded-io.ts";

/** The bundled program, as a user has it. */
export const program = process.env.HOLDFAST_TEST_CLI ?? "";

/**
 * Node's arguments for the bundled program of somebody whom no agent has started. Tests may run below a real agent, and what
 * is above a process decides whether a person acts. So the program is told that nothing is. It has no option or variable
 * for this: whoever can load code into it needs none.
 */
export const asPerson = ["--import", 'data:text/javascript,Object.defineProperty(process,"ppid",{value:0})'] as const;

/** What an agent is told before a visit with `context: compact`. */
export const compactMessage =
  "Please run `/compact` first, then call workflow_status again. " +
  'If you cannot run it yourself, say to the person: "type /compact, then say: go on", and stop.';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Calling {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A project in a folder of its own, with a home of its own; `test/temporary.ts` clears all of them away. */
export interface Project {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): string;
  read(path: string): string;
  /** Calls the command line within this process: what it is asked and says is the same as in one of its own. */
  holdfast(words: readonly string[], calling?: Calling): Promise<Ended>;
  /** The same with --json; reads the one value. */
  json(words: readonly string[], calling?: Calling): Promise<Answer>;
  /** Runs the bundled program to its end, where its start, its streams or its end matter. */
  bundled(words: readonly string[], calling?: Calling): Promise<Ended>;
  begin(words: readonly string[], calling?: Calling): ChildProcessWithoutNullStreams;
  /** The folder of the only run, or of the named one. */
  runFolder(run?: string): string;
  journal(): string;
}

export interface Answer {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a program's JSON is compared with literals
  readonly value: any;
}

export function createProject(name = "project"): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cli-")));
  const root = join(base, name);
  const home = join(base, "home");
  for (const folder of [root, home]) mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", LANG: "C.UTF-8", TERM: "xterm-256color" };
  const begin = (words: readonly string[], { cwd = root, env: more = {} }: Calling = {}) =>
    // A server asks which program has started it, and nobody is a person there.
    spawn(process.execPath, [...(words[0] === "mcp" ? [] : asPerson), program, ...words], {
      cwd,
      env: { ...env, ...more },
    });
  const runFolder = (run?: string) => {
    const runs = join(root, ".holdfast/runs");
    const names = readdirSync(runs);
    // A kill may leave drafts of files beside the runs, and a run that never began.
    const isRun = (name: string) => existsSync(join(runs, name, "journal.jsonl"));
    return join(runs, run ?? names.find(isRun) ?? names[0] ?? "");
  };
  async function holdfast(words: readonly string[], calling: Calling = {}): Promise<Ended> {
    const { io, said } = recordedIo({
      cwd: calling.cwd ?? root,
      env: { ...env, ...calling.env },
      readInput: async () => Buffer.from(calling.input ?? ""),
    });
    const code = await runCli(words, io);
    return { code, stdout: said.out, stderr: said.err };
  }
  async function bundled(words: readonly string[], calling: Calling = {}): Promise<Ended> {
    const child = begin(words, calling);
    child.stdin.on("error", () => {});
    child.stdin.end(calling.input ?? "");
    return ended(child);
  }
  return {
    root,
    home,
    env,
    write(path, text) {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    holdfast,
    async json(words, calling) {
      const { code, stdout, stderr } = await holdfast([...words, "--json"], calling);
      if (stderr !== "") throw new Error(`stderr: ${stderr}`);
      if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`not one line of JSON: ${stdout}`);
      return { code, value: JSON.parse(stdout) };
    },
    bundled,
    begin,
    runFolder,
    journal: () => readFileSync(join(runFolder(), "journal.jsonl"), "utf8"),
  };
}

export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

/** Two actions, one after the other. */
export const twoSteps = `
name: two-steps
description: Two steps
steps:
  - { id: plan, type: action, instructions: "Plan {run.summary}" }
  - { id: ship, type: action, instructions: "Ship what was planned: {outputs.plan}" }
`;

/** Everything that an agent's calls can meet. */
export const whole = `
name: whole
description: A plan, a review, a loop, a polish and a release
variables: { depth: 1 }
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - id: review
    type: action
    instructions: "Review {outputs.plan}"
    outcomes: { approved: build, needs_changes: plan }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, instructions: "Improve it" }
  - { id: ship, type: action, instructions: "Release it", gate: [{ approval: human }], budget: { turns: 12 } }
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}", context: compact, max_retries: 1 }
    - { id: verify, instructions: "Verify it" }
`;
