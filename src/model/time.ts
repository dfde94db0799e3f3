/** The minutes between two ISO times; 0 if the clock went back. */
export function minutesBetween(from: string, to: string): number {
  return Math.max(0, (toMillis(to) - toMillis(from)) / 60_000);
}

/** The earlier of two ISO times. */
export function earlier(a: string, b: string): string {
  return toMillis(a) <= toMillis(b) ? a : b;
}

function toMillis(time: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: parsing a time does not read the clock
  return Date.parse(time);
}
