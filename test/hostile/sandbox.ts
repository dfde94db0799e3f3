import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../src/platform/files.ts";
import { program } from "../cli/program.ts";

/** In files outside of the project. It must not show up in any output, nor in any file of the project. */
export const secret = "canary-secret-5f0c1d";

/** A repository in the middle of folders that nobody may touch, and a home that has something to lose. */
export interface Sandbox {
  readonly base: string;
  /** The repository. */
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** An executable that leaves a mark when it is run. */
  readonly canary: string;
  /** The same as a program for Node. */
  readonly canaryScript: string;
  /** A file or folder outside of the project, by its name in `outside`. */
  outside(name: string): string;
  write(path: string, text: string | Uint8Array): string;
  link(path: string, target: string): void;
  pipe(path: string): void;
  git(...words: readonly string[]): string;
  /** What the canaries have noticed: which were run, which files outside changed, which secrets got in. */
  harm(): string[];
}

/** What lies outside: of each kind of file that Holdfast reads in a project, one that would be accepted. */
const outside: Readonly<Record<string, string>> = {
  "secret.txt": `${secret}\n`,
  "flow.yaml": `name: ${secret}\ndescription: ${secret}\nsteps:\n  - { id: one, type: action, instructions: "${secret}" }\n`,
  "broken.yaml": `name: x\n${secret}: ${secret}\nsteps: []\n`,
  "config.yaml": `cards:\n  folder: ${secret}\n`,
  "settings.json": JSON.stringify({ note: secret, hooks: {} }, null, 2),
  "card.md": `# Workflow state\n\nWorkflow: ${secret}\nPhase: 1/2 ${secret}\n`,
  "list.md": `- [ ] ${secret}\n`,
  "snapshot.json": JSON.stringify({ format: 1, status: "live", secret }),
  "folder/secret.txt": secret,
  "folder/originals/.claude/settings.json": JSON.stringify({ note: secret }),
};

const inHome: Readonly<Record<string, string>> = {
  ".claude/settings.json": JSON.stringify({ apiKeyHelper: secret }, null, 2),
  ".claude.json": JSON.stringify({ key: secret }, null, 2),
  ".codex/config.toml": `secret = "${secret}"\n`,
  ".codex/hooks.json": "{}\n",
  ".ssh/id_ed25519": `${secret}\n`,
  ".bashrc": `# ${secret}\n`,
  ".config/opencode/opencode.json": JSON.stringify({ theme: secret }),
  ".copilot/mcp-config.json": JSON.stringify({ mcpServers: {}, note: secret }),
};

export function createSandbox(): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-hostile-")));
  const at = (...parts: readonly string[]) => join(base, ...parts);
  const root = at("work/project");
  const put = (file: string, text: string | Uint8Array) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const folder of [root, at("tmp"), at("marks"), at("bin")]) mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(outside)) put(at("outside", name), text);
  for (const [name, text] of Object.entries(inHome)) put(at("home", name), text);
  // Where a link `../..` leads, there is something to overwrite, too.
  for (const folder of ["work", "."]) for (const [name, text] of Object.entries(inHome)) put(at(folder, name), text);
  execFileSync("sh", ["-c", 'mkfifo "$0"', at("outside/pipe")]);
  const marks = at("marks/ran");
  const canary = put(at("bin/canary"), `#!/bin/sh\necho "$0 $*" >> ${marks}\n`);
  chmodSync(canary, 0o755);
  symlinkSync(program, at("bin/holdfast"));
  const env = {
    PATH: `${at("bin")}:${process.env.PATH ?? ""}`,
    HOME: at("home"),
    TMPDIR: at("tmp"),
    TZ: "UTC",
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const before = contentsOf(base, root);
  return {
    base,
    root,
    home: at("home"),
    env,
    canary,
    canaryScript: `process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(marks)}, __filename + "\\n");\n`,
    outside: (name) => at("outside", name),
    write: (path, text) => put(join(root, path), text),
    link(path, target) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    },
    pipe(path) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, path)]);
    },
    git(...words) {
      const person = ["-c", "user.name=Eve", "-c", "user.email=eve@example.org", "-c", "protocol.file.allow=always"];
      return execFileSync("git", [...person, ...words], { cwd: root, env, encoding: "utf8", stdio: "pipe" });
    },
    harm: () => [...ran(at("marks")), ...changes(before, contentsOf(base, root)), ...leaks(root)],
  };
}

/** Makes what was written a commit, so that it is what a clone has. */
export function commitAll({ git }: Sandbox): void {
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all", "--force");
  git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", "Everything");
}

function ran(marks: string): string[] {
  return readdirSync(marks).map((name) => `was run: ${readFileSync(join(marks, name), "utf8").trim()}`);
}

/** Holdfast's own folders in a home, and where everybody writes. */
const ours = /^(tmp|marks|bin|home\/\.config\/holdfast|home\/\.cache\/holdfast)(\/|$)/;

/** Everything in a folder but `except`, by its path: links as what they say, files as the hash of what is in them. */
function contentsOf(base: string, except: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  walk(base, "", (path, file) => {
    if (file === except || ours.test(path)) return false;
    const there = lstatSync(file);
    const content = there.isSymbolicLink() ? readlinkSync(file) : there.isFile() ? sha256Hex(readFileSync(file)) : "";
    // A folder that is only there for ours.
    if (/^home\/\.(config|cache)$/.test(path)) return true;
    found.set(path, `${there.mode} ${content}`);
    return there.isDirectory();
  });
  return found;
}

function walk(base: string, path: string, visit: (path: string, file: string) => boolean): void {
  for (const name of readdirSync(join(base, path))) {
    const below = path === "" ? name : `${path}/${name}`;
    if (visit(below, join(base, below))) walk(base, below, visit);
  }
}

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `was written outside: ${path}`);
}

function leaks(root: string): string[] {
  const found: string[] = [];
  walk(root, "", (path, file) => {
    const there = lstatSync(file);
    if (there.isFile() && there.size < largest && readFileSync(file).includes(secret))
      found.push(`was copied in: ${path}`);
    return there.isDirectory() && path !== ".git";
  });
  return found;
}

const largest = 64 * 1024 * 1024;
