/** The words of a call are off. Nothing was done; the message says how the call goes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
