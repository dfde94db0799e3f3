import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test, with a user's other files beside it. */
export interface Project {
  readonly root: string;
  readonly outside: string;
  path(path: string): string;
  write(path: string, content: string | Uint8Array): string;
  read(path: string): string;
  /** The value in a file of JSON. */
  json(path: string): unknown;
  link(target: string, path: string): void;
  /** Lets a file look as if it was changed then. */
  touch(path: string, time: string): void;
  /** Every file and link below the project, without git's own. */
  files(): string[];
  git(...args: readonly string[]): string;
}

export function makeProject(name = "project"): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cards-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  // Whoever a test becomes may come in.
  chmodSync(base, 0o755);
  const [root, outside] = [join(base, name), join(base, "outside")];
  for (const folder of [root, outside]) mkdirSync(folder);
  const project: Project = {
    root,
    outside,
    path(path) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      return join(root, path);
    },
    write(path, content) {
      writeFileSync(project.path(path), content);
      return join(root, path);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    json: (path) => JSON.parse(project.read(path)),
    link: (target, path) => symlinkSync(target, project.path(path)),
    touch: (path, time) => utimesSync(join(root, path), new Date(time), new Date(time)),
    files: () => filesBelow(root, ""),
    git(...args) {
      const identity = [
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.org",
        "-c",
        "protocol.file.allow=always",
      ];
      const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
      return execFileSync("git", [...identity, ...args], { cwd: root, env, encoding: "utf8", stdio: "pipe" });
    },
  };
  return project;
}

function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => name !== ".git");
  return entries
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(root, join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

/** Nobody may write there meanwhile, not even the superuser that a container's tests run as. */
export function readOnly(folder: string, act: () => void): void {
  chmodSync(folder, 0o555);
  try {
    asNobody(act);
  } finally {
    chmodSync(folder, 0o755);
  }
}

/** As a user whom the rights of files hold for. */
export function asNobody(act: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  const become = (user: number) => (isRoot ? process.seteuid?.(user) : undefined);
  become(65_534);
  try {
    act();
  } finally {
    become(0);
  }
}
