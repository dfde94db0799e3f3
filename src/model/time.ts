/** Minutes from one written time to another; a clock that went back counts as none. */
export function minutesBetween(from: string, to: string): number {
  return Math.max(0, (toMillis(to) - toMillis(from)) / 60_000);
}

/** The earlier of two written times. */
export function earlier(a: string, b: string): string {
  return toMillis(a) <= toMillis(b) ? a : b;
}

function toMillis(time: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: parsing a written time reads no clock
  return Date.parse(time);
}
