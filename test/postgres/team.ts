import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { asPerson, type Ended, ended, type Project, program } from "../cli/program.ts";
import { runHook } from "../hooks/hook-program.ts";
import type { TestDatabase } from "./database.ts";

/** A machine of its own: a user with a home, and a clone of the team's repository. */
export interface Machine {
  readonly clone: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the built program. */
  begin(words: readonly string[], more?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
  /** Runs it to its end. */
  holdfast(words: readonly string[], more?: Readonly<Record<string, string>>, input?: string): Promise<Ended>;
  /** The same with --json; throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: a program's JSON is compared with literals
  json(words: readonly string[], more?: Readonly<Record<string, string>>): Promise<any>;
  /** As a person, for what agents cannot do. */
  person(words: readonly string[]): Promise<Ended>;
  /** The same machine in a new linked worktree. */
  worktree(name: string): Machine;
  write(path: string, text: string): void;
  /** Whether the clone has a file. */
  has(path: string): boolean;
  journal(run: string): string;
}

const steps = `name: steps
description: Three steps, the second of which a person approves
steps:
  - { id: first, type: action, instructions: Do the first }
  - { id: second, type: action, gate: [{ approval: human }], instructions: Do the second }
  - { id: third, type: action, instructions: Do the third }
`;

const parallel = `name: many
description: Tasks that several agents share
steps:
  - id: build
    type: loop
    parallel: 4
loops:
  build:
    - { id: work, instructions: Work }
`;

/** A repository with a shared project, and a base folder for machines. */
export interface Team {
  readonly base: string;
  readonly origin: string;
  /** Clones the repository; the user names the database and confirms the project unless told otherwise. */
  join(name: string, how?: Joining): Promise<Machine>;
}

interface Joining {
  readonly url?: string | null;
  readonly confirms?: boolean;
  /** The home of a user who has another clone already. */
  readonly home?: string;
}

export function makeTeam(database: Pick<TestDatabase, "url">, settings = "store: postgres\nproject: shop\n"): Team {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-team-")));
  const [origin, first] = [join(base, "origin.git"), join(base, "first")];
  const git = (...words: string[]) => execFileSync("git", words, { stdio: "pipe" });
  git("init", "-q", "--bare", "-b", "main", origin);
  git("init", "-q", "-b", "main", first);
  const files = {
    ".holdfast/config.yaml": `cards: off\n${settings}`,
    ".holdfast/workflows/steps.yaml": steps,
    ".holdfast/workflows/many.yaml": parallel,
    "src/app.ts": "export const app = 1;\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(first, path)), { recursive: true });
    writeFileSync(join(first, path), text);
  }
  git("-C", first, "add", "-A");
  git("-C", first, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
  git("-C", first, "push", "-q", origin, "main");
  return {
    base,
    origin,
    async join(name, { url = database.url, confirms = true, home = join(base, name, "home") } = {}) {
      const clone = join(base, name, "clone");
      mkdirSync(join(home, ".config/holdfast"), { recursive: true });
      git("clone", "-q", origin, clone);
      writeFileSync(join(home, ".config/holdfast/secret"), `${name}-0123456789abcdef0123456789\n`);
      if (url !== null) writeFileSync(join(home, ".config/holdfast/config.yaml"), `database: "${url}"\n`);
      const machine = machineAt(name, home, clone);
      if (confirms) expectDone(await machine.person(["store", "confirm", "--yes"]));
      return machine;
    },
  };
}

function machineAt(name: string, home: string, clone: string): Machine {
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", LANG: "C.UTF-8", USER: name };
  const begin: Machine["begin"] = (words, more = {}) =>
    spawn(process.execPath, [...asPerson, program, ...words], { cwd: clone, env: { ...env, ...more } });
  const holdfast: Machine["holdfast"] = (words, more = {}, input = "") => {
    const child = begin(words, more);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return ended(child);
  };
  return {
    clone,
    home,
    env,
    begin,
    holdfast,
    async json(words, more) {
      return JSON.parse(expectDone(await holdfast([...words, "--json"], more)).stdout);
    },
    worktree(branch) {
      const folder = join(dirname(clone), branch);
      execFileSync("git", ["-C", clone, "worktree", "add", "-q", "-b", branch, folder], { stdio: "pipe" });
      return machineAt(name, home, folder);
    },
    person: (words) => holdfast([...words, "--as", name, "--secret-file", join(home, ".config/holdfast/secret")]),
    write(path, text) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      writeFileSync(join(clone, path), text);
    },
    has: (path) => existsSync(join(clone, path)),
    journal: (run) => readFileSync(join(clone, ".holdfast/runs", run, "journal.jsonl"), "utf8"),
  };
}

export const session = "5e551077-aaaa-4bbb-8ccc-000000000001";

/** Tells a hook on a machine of an event in that session. */
export function tell({ clone, env }: Machine, event: string, input: object) {
  return runHook({ root: clone, env } as Project, event, { session_id: session, ...input });
}

export function expectDone(call: Ended): Ended {
  if (call.code === 0) return call;
  throw new Error(`it failed with ${call.code}:\n${call.stdout}${call.stderr}`);
}

/** The text of every file below a folder, without those of git. */
export function allTexts(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}
