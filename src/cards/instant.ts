const written = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** An ISO 8601 time in milliseconds; without a zone it is UTC. Null if it is not a time. */
export function instantOf(time: string): number | null {
  const found = written.exec(time);
  if (found === null) return null;
  const millis = Date.parse(`${time.replace(" ", "T")}${found[1] === undefined ? "Z" : ""}`);
  return Number.isNaN(millis) ? null : millis;
}

/** An ISO 8601 time in the form that file names use: `20261114_143052`, in UTC. */
export function fileTimestamp(time: string): string {
  const [date = "", clock = ""] = new Date(instantOf(time) ?? 0).toISOString().split(/[T.]/);
  return `${date.replaceAll("-", "")}_${clock.replaceAll(":", "")}`;
}
