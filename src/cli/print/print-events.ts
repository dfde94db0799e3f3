import type { Log } from "../../app/queries/read-log.ts";
import type { RunEvent } from "../../model/event.ts";
import { clip, pad } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime, plural } from "../terminal/wording.ts";

type Foreign = Pick<Log, "foreign" | "ahead">;

export function printEvents(events: readonly RunEvent[], paint: Paint, { foreign, ahead }: Foreign = own): string {
  const [elsewhere, unbelieved] = [new Set(foreign), new Set(ahead)];
  return events
    .map((event) => {
      const time = unbelieved.has(event.seq) ? ", at a time that is not believed" : "";
      return printEvent(event, paint, elsewhere.has(event.seq) ? `(on another machine${time}) ` : "");
    })
    .join("");
}

const own: Foreign = { foreign: [], ahead: [] };

const typeWidth = 19;
const longestFact = 60;

/** One line per event: number, time, what happened, the facts in short; `show` has them whole. */
function printEvent(event: RunEvent, paint: Paint, mark: string): string {
  const head = `${String(event.seq).padStart(5)}  ${localTime(event.at, "seconds")}  ${pad(event.type, typeWidth)}  `;
  const line = paint.fit(`${head}${mark}${factsOf(event)}`.trimEnd(), paint.columns);
  const [number, time, type] = [line.slice(0, 7), line.slice(7, 28), line.slice(28, 28 + typeWidth)];
  return `${number}${paint.dim(time)}${paint.strong(type)}${line.slice(28 + typeWidth)}\n`;
}

const left = ["seq", "at", "type", "runId", "workflowType", "templateHash", "place", "fingerprint", "key"];

function factsOf(event: RunEvent): string {
  if (event.type === "gates-checked") {
    const seen = event.evidence.map(({ what, held, exitCode }) => {
      const code = exitCode === undefined || held ? "" : ` (exit ${exitCode})`;
      return `${short(what)} ${held ? "holds" : "does not hold"}${code}`;
    });
    return `token=${event.token} ${seen.join("; ")}`;
  }
  return Object.entries(event)
    .filter(([name, value]) => value !== null && !left.includes(name))
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(" ");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return short(value);
  return short(Array.isArray(value) ? plural(value.length, "item") : JSON.stringify(value));
}

function short(text: string): string {
  return clip(text.replace(/\s+/g, " ").trim(), longestFact);
}
