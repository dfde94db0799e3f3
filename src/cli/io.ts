/** The terminal, or what stands in for it. Everything the command line says and reads goes through here. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A person sits at both ends. */
  readonly isTerminal: boolean;
  readonly colours: boolean;
  readonly columns: number;
  readonly signal: AbortSignal;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  ask(question: string): Promise<string>;
  /** A line that the next one replaces; nothing where nobody watches. */
  progress(line: string): void;
}
