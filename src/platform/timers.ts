/** In milliseconds. Node fires a timer with a longer delay at once. */
const longest = 2 ** 31 - 1;

/** As long as a timer can wait: 24 days. */
export function timerDelay(ms: number): number {
  return Math.min(ms, longest);
}
