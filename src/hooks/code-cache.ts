import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Compiled code, as V8 gave it away in an earlier run. It only saves time: whatever is wrong with it, there is none. */
export interface CodeCache {
  /** Names code by all that it was made from: V8 itself looks at no more than the length of the source. */
  nameOf(source: string): string;
  read(name: string): Buffer | undefined;
  write(name: string, code: Buffer): void;
}

/** Each event runs other parts of the program, so each has its own. */
export function openCodeCache(folder: string, event: string): CodeCache {
  const { version, arch, execArgv, env } = process;
  // Under other options V8 takes no code that was made under these.
  const maker = JSON.stringify([version, arch, execArgv, env.NODE_OPTIONS]);
  return {
    nameOf: (source) => `${event}-${digest(maker, source).toString("hex").slice(0, 32)}`,
    read(name) {
      try {
        const bytes = readFileSync(join(folder, name));
        const code = bytes.subarray(digestLength);
        // V8 believes what it is given; damaged code could bring the process down.
        return digest(name, code).equals(bytes.subarray(0, digestLength)) ? code : undefined;
      } catch {
        return undefined;
      }
    },
    write(name, code) {
      const draft = join(folder, `.draft-${process.pid}-${name}`);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(draft, Buffer.concat([digest(name, code), code]));
        renameSync(draft, join(folder, name));
        tidy(folder);
      } catch {
        remove(draft);
      }
    },
  };
}

/** The user's own folder for such things; never from a variable that a project could set, because code is run from it. */
export function codeFolder(): string | null {
  const { platform, env } = process;
  const home = platform === "win32" ? env.USERPROFILE : env.HOME;
  if (home === undefined || !isAbsolute(home)) return null;
  const caches = { win32: ["AppData", "Local"], darwin: ["Library", "Caches"] }[String(platform)] ?? [".cache"];
  return join(home, ...caches, "holdfast", "code");
}

const digestLength = 32;

function digest(name: string, content: string | Buffer): Buffer {
  return createHash("sha256").update(name).update(content).digest();
}

/** Some versions of Node and of Holdfast, each with all events. */
const mostFiles = 64;

/** Takes away what other versions left behind, and drafts of those who died. */
function tidy(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= mostFiles) return;
  const made = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of made.sort((a, b) => b.at - a.at).slice(mostFiles / 2)) remove(join(folder, name));
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is in nobody's way.
  }
}
