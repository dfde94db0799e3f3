import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { compose } from "../../../src/app/compose.ts";
import type { Caller } from "../../../src/operation/operation.ts";
import { createFace, type Face } from "../world.ts";

/** One clone of a project, on a machine with a home and a user of its own. */
export interface Machine {
  readonly project: string;
  readonly home: string;
  git(...args: readonly string[]): string;
  person(more?: Partial<Caller>): Face;
  agent(session?: string, env?: Readonly<Record<string, string>>): Face;
  script(more?: Partial<Caller>): Face;
  write(path: string, text: string): void;
  runFolder(runId: string): string;
  journal(runId: string): string;
  /** How fast this machine's clock is. */
  aheadBy(minutes: number): void;
}

/** Two machines with clones at different places, and a bare repository between them. */
export interface Machines {
  readonly remote: string;
  readonly ada: Machine;
  readonly bob: Machine;
  pass(minutes: number): void;
}

const midnight = Date.parse("2026-01-31T00:00:00.000Z");

export function makeMachines(workflows: Readonly<Record<string, string>>): Machines {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-machines-")));
  // A snapshot may still be written a moment after the last call.
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const remote = join(root, "remote.git");
  let minutes = 0;

  const makeMachine = (name: string, folder: string): Machine => {
    const home = join(root, name);
    const project = join(home, folder);
    mkdirSync(project, { recursive: true });
    let ahead = 0;
    let starts = 0;
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...args: readonly string[]) => {
      const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
      return execFileSync("git", [...identity, ...args], { cwd: project, env, encoding: "utf8", stdio: "pipe" });
    };
    const face = (caller: Partial<Caller>): Face =>
      createFace({
        ...compose(project, { ...nobody, ...caller, env: { ...env, ...caller.env } }),
        user: { name, home, configFolder: join(home, ".config", "holdfast") },
        now: () => new Date(midnight + (minutes + ahead) * 60_000).toISOString(),
        suffix: () => `${name[0]}${String(++starts).padStart(3, "0")}`,
      });
    return {
      project,
      home,
      git,
      person: (more = {}) => face({ isTerminal: true, confirm: async () => true, ...more }),
      agent: (session = "s1", more = {}) => face({ session, env: { CLAUDECODE: "1", ...more } }),
      script: (more = {}) => face(more),
      write: (path, text) => writeFileSync(join(project, path), text),
      runFolder: (runId) => join(project, ".holdfast/runs", runId),
      journal: (runId) => readFileSync(join(project, ".holdfast/runs", runId, "journal.jsonl"), "utf8"),
      aheadBy(more) {
        ahead = more;
      },
    };
  };

  const ada = makeMachine("ada", "work/project");
  const bob = makeMachine("bob", "elsewhere/my copy");
  const text = JSON.stringify(workflows);
  const pattern = patterns.get(text);
  if (pattern === undefined) {
    connect(ada, bob, remote, workflows);
    // With the folders' names but without what a test does later.
    const kept = mkdtempSync(join(tmpdir(), "holdfast-pattern-"));
    cpSync(root, kept, { recursive: true });
    patterns.set(text, { root, kept });
  } else {
    cpSync(pattern.kept, root, { recursive: true });
    for (const { project } of [ada, bob]) {
      const config = join(project, ".git/config");
      writeFileSync(config, readFileSync(config, "utf8").replaceAll(pattern.root, root));
    }
  }
  return {
    remote,
    ada,
    bob,
    pass(more) {
      minutes += more;
    },
  };
}

interface Pattern {
  /** Where it was made: the path that its remotes name. */
  readonly root: string;
  readonly kept: string;
}

/** Both clones and what is between them take a dozen processes, so they are made once for each set of workflows and copied. */
const patterns = new Map<string, Pattern>();

function connect(ada: Machine, bob: Machine, remote: string, workflows: Readonly<Record<string, string>>): void {
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  ada.git("init", "--quiet", "--initial-branch=main");
  mkdirSync(join(ada.project, ".holdfast/workflows"), { recursive: true });
  for (const [name, yaml] of Object.entries(workflows)) {
    ada.write(`.holdfast/workflows/${name}.yaml`, `name: ${name}\ndescription: a test\n${yaml}\n`);
  }
  ada.git("add", "--all");
  ada.git("commit", "--quiet", "--message", "work");
  ada.git("remote", "add", "origin", remote);
  ada.git("push", "--quiet", "--set-upstream", "origin", "main");
  bob.git("init", "--quiet", "--initial-branch=main");
  bob.git("remote", "add", "origin", remote);
  bob.git("fetch", "--quiet", "origin");
  bob.git("reset", "--quiet", "--hard", "origin/main");
}

const nobody: Caller = {
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
