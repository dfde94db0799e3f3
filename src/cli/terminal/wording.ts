export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function duration(from: string, to: string): string {
  const seconds = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `2026-01-31 12:00` in local time; stored times are in UTC. */
export function localTime(at: string, detail: "minutes" | "seconds"): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "time unknown";
  const two = (part: number) => String(part).padStart(2, "0");
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return detail === "minutes" ? `${date} ${clock}` : `${date} ${clock}:${two(time.getSeconds())}`;
}

/** `12:00:00` in local time. */
export function localClock(at: string): string {
  return localTime(at, "seconds").slice(-8);
}
