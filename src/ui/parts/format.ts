const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something took: `8s`, `3m 20s`, `2h 05m`, `4d 3h`. */
export function duration(milliseconds: number): string {
  const rest = Math.max(0, milliseconds);
  if (rest < minute) return `${Math.floor(rest / 1_000)}s`;
  if (rest < hour) return `${Math.floor(rest / minute)}m ${two(Math.floor((rest % minute) / 1_000))}s`;
  if (rest < day) return `${Math.floor(rest / hour)}h ${two(Math.floor((rest % hour) / minute))}m`;
  return `${Math.floor(rest / day)}d ${Math.floor((rest % day) / hour)}h`;
}

/** Minutes as the server counts them: `<1m`, `12m`, `2h 05m`. */
export function minutes(count: number): string {
  if (count <= 0) return "0m";
  if (count < 1) return "<1m";
  return count < 60 ? `${Math.round(count)}m` : duration(count * minute);
}

/** How long ago: `now`, `5m`, `3h`, `2d`, then the date. */
export function ago(time: string, now: number): string {
  const past = now - Date.parse(time);
  if (past < minute) return "now";
  if (past < hour) return `${Math.floor(past / minute)}m`;
  if (past < day) return `${Math.floor(past / hour)}h`;
  if (past < 30 * day) return `${Math.floor(past / day)}d`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** A moment in full, in the reader's own time zone. */
export function moment(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** The time of day, with the date if it was not today. */
export function clock(time: string, now: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  const timeOfDay = date.toLocaleTimeString(undefined, { timeStyle: "medium", hourCycle: "h23" });
  return isToday ? timeOfDay : `${date.toLocaleDateString(undefined, { day: "numeric", month: "short" })} ${timeOfDay}`;
}

/** `950`, `12.3k`, `4.1M`. */
export function count(number: number): string {
  if (number < 1_000) return String(number);
  if (number < 1_000_000) return `${short(number / 1_000)}k`;
  return `${short(number / 1_000_000)}M`;
}

export function whole(number: number): string {
  return number.toLocaleString("en");
}

/** US dollars: `$0.004`, `$1.25`, `$310`. */
export function dollars(cost: number): string {
  if (cost === 0) return "$0";
  if (cost < 0.01) return `$${cost.toFixed(3)}`;
  return cost < 100 ? `$${cost.toFixed(2)}` : `$${Math.round(cost).toLocaleString("en")}`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

function short(number: number): string {
  return number < 100 ? number.toFixed(1).replace(/\.0$/, "") : String(Math.round(number));
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
