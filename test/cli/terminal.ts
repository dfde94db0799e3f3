import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { asPerson, type Project, program } from "./program.ts";

/** A person's terminal: what is typed reaches the program as keys, what it shows can be waited for. */
export interface Terminal {
  type(keys: string): void;
  /** Everything shown so far, once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Closes the window. */
  close(): void;
  ended(): Promise<{ readonly code: number | null; readonly text: string }>;
}

const recorder = "script";
const hasRecorder = String(spawnSync(recorder, ["--version"]).stdout).includes("util-linux");
const inPython = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

const patienceMs = 30_000;

export interface Opening {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Put behind the call, as in `2>errors.txt`. */
  readonly behind?: string;
}

export function openTerminal(project: Project, words: readonly string[], opening: Opening = {}): Terminal {
  const { columns = 80, env = {}, behind = "" } = opening;
  const call = [process.execPath, ...asPerson, program, ...words]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  const line = `stty cols ${columns} rows 24; exec ${call} ${behind}`;
  const [launcher, args] = hasRecorder
    ? ([recorder, ["-qec", line, "/dev/null"]] as const)
    : (["python3", ["-c", inPython, "sh", "-c", line]] as const);
  const child = spawn(launcher, args, { cwd: project.root, env: { ...project.env, SHELL: "/bin/sh", ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  let looks: (() => void)[] = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const look of looks) look();
  });
  child.stdin.on("error", () => {});
  const end = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(text)) return;
          looks = looks.filter((each) => each !== look);
          resolve(text);
        };
        looks.push(look);
        look();
        const miss = () => reject(new Error(`${pattern} was never shown in:\n${text}`));
        void end.then(miss);
        setTimeout(miss, patienceMs).unref();
      });
    },
    close: () => void child.kill("SIGKILL"),
    async ended() {
      const code = await end;
      return { code, text: text.replaceAll("\r\n", "\n") };
    },
  };
}
