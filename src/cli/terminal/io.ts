import type { Surroundings } from "../../platform/surroundings.ts";

/** The terminal, or a substitute in tests. The command line prints and reads only through this. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard input and standard output are both terminals. */
  readonly isTerminal: boolean;
  /** Where this process was started. */
  surroundings(): Surroundings;
  /** Per stream, because one of them may be redirected to a file. */
  readonly styles: { readonly out: StreamStyle; readonly err: StreamStyle };
  readonly signal: AbortSignal;
  /** From now on `signal` is aborted when nobody reads the output any more. Otherwise the process ends at once. */
  stopInOrder(): void;
  /** From now on a hangup counts only if there was a terminal: `nohup` is for what shall go on without. */
  outliveHangup(): void;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<Uint8Array>;
  /** The answer; empty if the person pressed Ctrl-C or Ctrl-D. */
  ask(question: string): Promise<string>;
  /** Calls back for each line that the person types, until the returned function is called; never without a terminal. */
  listen(heard: () => void): () => void;
  /** Shows a line until the next output replaces it; does nothing if standard error is not a terminal. */
  progress(line: string): void;
  /** Keeps these lines below everything that is printed, until it gets others; only for a terminal. */
  panel(lines: readonly string[]): void;
  /** Saves the stack trace of a bug and returns the file; null if it cannot be saved. */
  keepTrace(trace: string): string | null;
}

export interface StreamStyle {
  readonly colours: boolean;
  /** The width of the terminal; null for a pipe or file, where nothing is wrapped or cut. */
  readonly columns: number | null;
}
