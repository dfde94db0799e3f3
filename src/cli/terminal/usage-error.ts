/** The arguments are invalid. Nothing was done; the message says what is wrong, and `next` how to correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Undefined if the help of the command is the best answer. */
  readonly next: string | undefined;

  constructor(problem: string, next?: string) {
    super(problem);
    this.next = next;
  }
}

/** Ctrl-C while something was read. Nothing was done. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(what: string) {
    super(`reading ${what} was interrupted; nothing was changed`);
  }
}

/** Each bundle has its own copy of these classes, so `instanceof` would not work. */
export function isInterrupted(error: unknown): error is Interrupted {
  return error instanceof Error && error.name === "Interrupted";
}

export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === "UsageError";
}
