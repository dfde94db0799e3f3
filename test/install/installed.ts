import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { nodeFolder } from "./nodes.ts";

const folder = process.env.HOLDFAST_TEST_INSTALL ?? "";

/** Projects that have nothing but the tarball installed, and the tarball with the optional tokenizer. */
export const plain = join(folder, "plain");
export const withTokenizer = join(folder, "with-tokenizer");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Machine {
  /** A folder to work in, apart from where the package is installed. */
  readonly work: string;
  /** Starts a program as a shell would find it: this Node and the installed commands come first on the PATH. */
  begin(command: string, words: readonly string[]): ChildProcessWithoutNullStreams;
  run(command: string, words: readonly string[], input?: string): Promise<Ended>;
}

/** An empty home and an empty folder on a machine that has one version of Node. */
export async function machineWith(nodeVersion: string): Promise<Machine> {
  const work = mkdtempSync(join(folder === "" ? tmpdir() : folder, "work-"));
  const home = join(work, "home");
  mkdirSync(home);
  const path = [await nodeFolder(nodeVersion), join(plain, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: home, TZ: "UTC", LANG: "C.UTF-8" };
  const begin = (command: string, words: readonly string[]) => {
    const child = spawn(command, words, { cwd: work, env });
    // A program may end without having read its input.
    child.stdin.on("error", () => {});
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return child;
  };
  const run = async (command: string, words: readonly string[], input = ""): Promise<Ended> => {
    const child = begin(command, words);
    const code = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  };
  return { work, begin, run };
}
