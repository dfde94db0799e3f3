/** `<slug>-<YYYYMMDD_HHMMSS in UTC>-<4 characters>`: unique, and safe in a path. */
export const runIdPattern = /^[a-z0-9-]{1,60}-\d{8}_\d{6}-[a-z0-9]{4}$/;

export function isRunId(text: string): boolean {
  return runIdPattern.test(text);
}

/** The id, for a path. A wrong one is a mistake of ours: whoever takes it from outside has checked it. */
export function checkedRunId(text: string): string {
  if (!isRunId(text)) throw new Error("that is no id of a run");
  return text;
}
