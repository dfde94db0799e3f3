/** The minutes between two ISO times; 0 if the clock went back. */
export function minutesBetween(from: string, to: string): number {
  return Math.max(0, (toMillis(to) - toMillis(from)) / 60_000);
}

/** The earlier of two ISO times. */
export function earlier(a: string, b: string): string {
  return toMillis(a) <= toMillis(b) ? a : b;
}

/** `as of 2026-11-14 16:02 UTC`, for what may be out of date. */
export function asOfText(time: string): string {
  return `as of ${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** Why a copy may be out of date. */
export function awayText(isSilent: boolean): string {
  return isSilent
    ? "the shared store could not be reached"
    : "the shared store could not be used, as `holdfast store status` explains";
}

function toMillis(time: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: parsing a time does not read the clock
  return Date.parse(time);
}
