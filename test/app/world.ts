import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type * as z from "zod";
import { compose } from "../../src/app/compose.ts";
import { type OperationName, operations } from "../../src/app/operations.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Refusal } from "../../src/model/refusal/refusal.ts";
import type { Caller, Deps, Outcome } from "../../src/operation/operation.ts";
import { stateFolder } from "../../src/platform/links.ts";

export interface WorldOptions {
  /** With a repository and one commit. True unless told otherwise. */
  readonly git?: boolean;
  /** The name of the project's folder. */
  readonly folder?: string;
}

/** A project on disk, a home for its user, and a clock that a test turns by hand. All of it goes when the test ends. */
export interface World {
  readonly project: string;
  readonly home: string;
  readonly configFolder: string;
  /** A path from the project's top; the folders on its way are made. */
  path(path: string): string;
  write(path: string, text: string): string;
  read(path: string): string;
  /** A workflow of the project's own; `name` and `description` are added. */
  workflow(name: string, yaml: string): void;
  git(...args: readonly string[]): string;
  /** Everything staged and committed. */
  commit(): void;
  /** A linked worktree beside the project. */
  worktree(name: string): string;
  pass(minutes: number): void;
  /** What a user's own settings say. */
  config(file: string, text: string): string;
  /** A process of its own over the same folder: what it knows, it knows from the files. */
  agent(session?: string, cwd?: string): Face;
  person(cwd?: string): Face;
  script(more?: Partial<Caller>, cwd?: string): Face;
  /** The very bytes of a run's journal. */
  journal(runId: string): string;
  runFolder(runId: string): string;
}

/** The operations as one caller sees them: the input is parsed at the door, as every face does. */
export interface Face {
  readonly deps: Deps;
  ask<N extends OperationName>(name: N, input?: InputOf<N>): Promise<Outcome<ValueOf<N>>>;
  /** Asks, and expects a yes. */
  ok<N extends OperationName>(name: N, input?: InputOf<N>): Promise<ValueOf<N>>;
  /** Asks, and expects a no. */
  no<N extends OperationName>(name: N, input?: InputOf<N>): Promise<Refusal>;
  events(runId?: string): Promise<readonly RunEvent[]>;
}

type InputOf<N extends OperationName> = z.input<(typeof operations)[N]["input"]>;
type ValueOf<N extends OperationName> = Extract<
  Awaited<ReturnType<(typeof operations)[N]["run"]>>,
  { ok: true }
>["value"];

const midnight = Date.parse("2026-01-31T00:00:00.000Z");

export function makeWorld({ git = true, folder = "project" }: WorldOptions = {}): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-app-")));
  // A snapshot may still be written a moment after the last call.
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const project = join(root, folder);
  const home = join(root, "home");
  const configFolder = join(home, ".config", "holdfast");
  mkdirSync(project);
  mkdirSync(configFolder, { recursive: true });
  let minutes = 0;
  let starts = 0;

  const runGit = (cwd: string, args: readonly string[]) => gitAt(home, cwd, args);

  const face = (caller: Partial<Caller>, cwd: string): Face =>
    createFace({
      ...compose(cwd, { ...nobody, ...caller, env: { PATH: process.env.PATH, HOME: home, ...caller.env } }),
      user: { name: "ada", home, configFolder },
      now: () => new Date(midnight + minutes * 60_000).toISOString(),
      suffix: () => String(++starts).padStart(4, "0"),
    });

  const world: World = {
    project,
    home,
    configFolder,
    path(path) {
      const full = join(project, path);
      mkdirSync(dirname(full), { recursive: true });
      return full;
    },
    write(path, text) {
      writeFileSync(world.path(path), text);
      return world.path(path);
    },
    read: (path) => readFileSync(join(project, path), "utf8"),
    workflow(name, yaml) {
      world.write(`.holdfast/workflows/${name}.yaml`, `name: ${name}\ndescription: a test\n${yaml}\n`);
    },
    git: (...args) => runGit(project, args),
    commit() {
      runGit(project, ["add", "--all"]);
      runGit(project, ["commit", "--quiet", "--allow-empty", "--message", "work"]);
    },
    worktree(name) {
      const top = join(root, name);
      runGit(project, ["worktree", "add", "--quiet", "--detach", top]);
      return top;
    },
    pass(more) {
      minutes += more;
    },
    config(file, text) {
      const path = join(configFolder, file);
      writeFileSync(path, text);
      return path;
    },
    agent: (session, cwd = project) => face({ session, env: { CLAUDECODE: "1" } }, cwd),
    person: (cwd = project) => face({ isTerminal: true, confirm: async () => true }, cwd),
    script: (more = {}, cwd = project) => face(more, cwd),
    journal: (runId) => readFileSync(join(world.runFolder(runId), "journal.jsonl"), "utf8"),
    runFolder: (runId) => join(project, stateFolder, "runs", runId),
  };
  if (git) cpSync(firstCommit(), project, { recursive: true });
  return world;
}

let pattern: string | undefined;

/** A repository with one commit, made once and then copied: three processes for each of a thousand tests take their time. */
function firstCommit(): string {
  if (pattern !== undefined) return pattern;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-repository-"));
  gitAt(folder, folder, ["init", "--quiet", "--initial-branch=main", "--template="]);
  writeFileSync(join(folder, "README.md"), "a project\n");
  gitAt(folder, folder, ["add", "--all"]);
  gitAt(folder, folder, ["commit", "--quiet", "--message", "work"]);
  pattern = folder;
  return folder;
}

function gitAt(home: string, cwd: string, args: readonly string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "protocol.file.allow=always"];
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** Somebody of whom nothing is known. */
export const nobody: Caller = {
  env: {},
  session: undefined,
  face: "mcp",
  isTerminal: false,
  surroundings: () => ({ terminal: null, ancestors: [] }),
  as: undefined,
  confirm: undefined,
  progress: undefined,
  signal: undefined,
};

export function createFace(deps: Deps): Face {
  const face: Face = {
    deps,
    ask(name, input) {
      const operation = operations[name];
      // The table is indexed by the very name that the input belongs to, which the compiler cannot follow.
      const run = operation.run as (deps: Deps, input: unknown) => Promise<Outcome<never>>;
      return run(deps, operation.input.parse(input ?? {}));
    },
    async ok(name, input) {
      const outcome = await face.ask(name, input);
      if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`);
      return outcome.value;
    },
    async no(name, input) {
      const outcome = await face.ask(name, input);
      if (outcome.ok) throw new Error(`accepted: ${JSON.stringify(outcome.value)}`);
      return outcome.refusal;
    },
    events: async (run) => (await face.ok("log", { run })).events,
  };
  return face;
}

/** Every file below a folder with its content, to see that nothing was touched. */
export function contentOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path, "latin1")];
    }),
  );
}
