/** `<slug>-<YYYYMMDD_HHMMSS in UTC>-<4 characters>`: unique, and safe in a path. */
export const runIdPattern = /^[a-z0-9-]{1,60}-\d{8}_\d{6}-[a-z0-9]{4}$/;

export function isRunId(text: string): boolean {
  return runIdPattern.test(text);
}

/** Returns the id, for use in a path. Input is checked earlier, so an invalid id here is a bug. */
export function checkedRunId(text: string): string {
  if (!isRunId(text)) throw new Error("that is no id of a run");
  return text;
}
