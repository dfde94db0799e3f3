import { spawn } from "node:child_process";

export interface Call {
  readonly command: string;
  /** Null for a line that a shell reads. */
  readonly args: readonly string[] | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

export interface Called {
  /** Null when it was not started, or had to be stopped. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly tookMs: number;
}

/** The longest that a host waits for one of our hooks. */
const patienceMs = 10_000;

/** Starts a hook as its host would, and waits for its end. */
export function runCall({ command, args, cwd, env, input }: Call): Promise<Called> {
  const start = performance.now();
  const options = { cwd, env: { ...env }, timeout: patienceMs, killSignal: "SIGKILL" } as const;
  const child = args === null ? spawn(command, { ...options, shell: true }) : spawn(command, args, options);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.resume();
  // One that ends without reading is no failure of ours.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    const end = (exitCode: number | null) =>
      resolve({ exitCode, output: Buffer.concat(chunks).toString("utf8"), tookMs: performance.now() - start });
    child.once("error", () => end(null));
    child.once("close", end);
  });
}
