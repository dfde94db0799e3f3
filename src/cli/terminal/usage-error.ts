/** The words of a call are off. Nothing was done; the message says what is wrong, and `next` how the call goes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Left out where the command's own help says it best. */
  readonly next: string | undefined;

  constructor(problem: string, next?: string) {
    super(problem);
    this.next = next;
  }
}

/** The program stands in several files, each with a copy of this class. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === "UsageError";
}
