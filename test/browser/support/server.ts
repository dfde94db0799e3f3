import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { asPerson, type Project, program } from "../../cli/program.ts";

/** `holdfast serve` as a process below a terminal, where a person sits. */
export interface Served {
  readonly origin: string;
  readonly port: number;
  /** The link that opens the page, once and within two minutes. */
  readonly link: string;
  /** Everything that the terminal shows. */
  shown(): string;
  /** As a crash or a power cut would end it. */
  kill(): Promise<void>;
}

export interface Serving {
  readonly port?: number;
  /** Without a terminal the server only reads. */
  readonly atTerminal?: boolean;
  readonly words?: readonly string[];
}

const recorder = "script";
const hasRecorder = String(spawnSync(recorder, ["--version"]).stdout).includes("util-linux");
const inPython = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
const patienceMs = 30_000;
const running = new Set<number>();

process.once("exit", () => {
  for (const pid of running) killIfThere(pid);
});

type Place = Pick<Project, "root" | "home" | "env">;

export async function serve(project: Place, serving: Serving = {}): Promise<Served> {
  const { port = await freePort(), atTerminal = true, words = [] } = serving;
  const pidFile = join(project.home, `serve-${port}.pid`);
  const call = [process.execPath, ...asPerson, program, "serve", "--port", String(port), ...words]
    .map(quoted)
    .join(" ");
  const line = `stty cols 200 2>/dev/null; echo $$ > ${quoted(pidFile)}; exec ${call}`;
  const child = start(project, line, atTerminal);
  let text = "";
  const link = new Promise<string>((resolve, reject) => {
    const look = (chunk: string) => {
      text += chunk;
      const found = /http:\/\/\S+\/open\/[\w-]+/.exec(text);
      if (found !== null) resolve(found[0]);
    };
    child.stdout?.setEncoding("utf8").on("data", look);
    child.stderr?.setEncoding("utf8").on("data", look);
    const miss = (why: string) => () => reject(new Error(`${why} holdfast serve showed a link; it said:\n${text}`));
    child.once("close", miss("it ended before"));
    child.once("error", reject);
    setTimeout(miss(`${patienceMs / 1000} seconds passed before`), patienceMs).unref();
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await link;
  const pid = Number(readFileSync(pidFile, "utf8"));
  running.add(pid);
  return {
    origin: new URL(url).origin,
    port,
    link: url,
    shown: () => text,
    async kill() {
      killIfThere(pid);
      running.delete(pid);
      await ended;
    },
  };
}

function start(project: Place, line: string, atTerminal: boolean): ChildProcess {
  const options = { cwd: project.root, env: { ...project.env, SHELL: "/bin/sh" } };
  if (!atTerminal) return spawn("sh", ["-c", line], options);
  return hasRecorder
    ? spawn(recorder, ["-qefc", line, "/dev/null"], options)
    : spawn("python3", ["-c", inPython, "sh", "-c", line], options);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(address)));
    });
  });
}
