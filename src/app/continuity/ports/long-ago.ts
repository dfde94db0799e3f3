/** What has not been touched for so long is offered, not asserted. */
const oldAfterMs = 14 * 24 * 60 * 60 * 1_000;

export function isLongAgo(now: string, time: string): boolean {
  return Date.parse(now) - Date.parse(time) > oldAfterMs;
}
