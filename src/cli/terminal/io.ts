/** The terminal, or what stands in for it. Everything the command line says and reads goes through here. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A person sits at both ends. */
  readonly isTerminal: boolean;
  /** Each stream by itself: one of them may lead into a file. */
  readonly styles: { readonly out: StreamStyle; readonly err: StreamStyle };
  readonly signal: AbortSignal;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<Uint8Array>;
  /** The answer; empty when the person left instead. */
  ask(question: string): Promise<string>;
  /** A line that the next one replaces; nothing where nobody watches. */
  progress(line: string): void;
  /** Keeps the trace of a bug and says where; null when it cannot be kept. */
  keepTrace(trace: string): string | null;
}

export interface StreamStyle {
  readonly colours: boolean;
  /** How wide the terminal is; null where the text goes elsewhere and nothing is cut. */
  readonly columns: number | null;
}
