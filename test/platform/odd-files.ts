import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What no output of ours may have in it: it is in a file outside of every project. */
export const canary = "CANARY_KEY";

/** A folder beside the projects, with a pipe that nobody writes to and a file of the user. */
function createOutside(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-outside-")));
  makePipe(join(folder, "pipe"));
  writeFileSync(join(folder, "own.yaml"), `${canary}: 1\n`);
  return folder;
}

export interface OddThings {
  readonly names: readonly string[];
  /** Puts one of them in the place of a file. */
  put(name: string, path: string): void;
}

/** What a project that somebody else packed can have in the place of a file. */
export function createOddThings(): OddThings {
  const outside = createOutside();
  const makers = new Map<string, (path: string) => void>([
    ["a link to an endless device", (path) => symlinkSync("/dev/zero", path)],
    ["a pipe", makePipe],
    ["a link to a pipe elsewhere", (path) => symlinkSync(join(outside, "pipe"), path)],
    ["a link to a file of the user", (path) => symlinkSync(join(outside, "own.yaml"), path)],
    ["a link to a folder elsewhere", (path) => symlinkSync(outside, path)],
    ["a folder", (path) => mkdirSync(path)],
    ["three gigabytes", writeHuge],
  ]);
  return {
    names: [...makers.keys()],
    put(name, path) {
      const make = makers.get(name);
      if (make === undefined) throw new Error(`nothing is called ${name}`);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      make(path);
    },
  };
}

/** It takes no room on the disk, but all of it in the memory of whoever reads it. */
function writeHuge(path: string): void {
  writeFileSync(path, "");
  truncateSync(path, 3 * 1024 ** 3);
}

function makePipe(path: string): void {
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', path]);
}
