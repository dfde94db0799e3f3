import { spawn } from "node:child_process";

export interface Call {
  readonly command: string;
  /** Null if `command` is a shell command line. */
  readonly args: readonly string[] | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

export interface Called {
  /** Null if it could not be started, or timed out. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly tookMs: number;
}

/** The longest timeout that a host has for one of our hooks. */
const timeoutMs = 10_000;

/** Runs a hook as its host would. */
export function runCall({ command, args, cwd, env, input }: Call): Promise<Called> {
  const start = performance.now();
  const options = { cwd, env: { ...env }, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
  const child = args === null ? spawn(command, { ...options, shell: true }) : spawn(command, args, options);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.resume();
  // A hook that ends without reading its input is not an error.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    const end = (exitCode: number | null) =>
      resolve({ exitCode, output: Buffer.concat(chunks).toString("utf8"), tookMs: performance.now() - start });
    child.once("error", () => end(null));
    child.once("close", end);
  });
}
