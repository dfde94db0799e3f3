import type { Log } from "../../app/queries/read-log.ts";
import type { RunEvent, Seat } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import { clip, pad, widthOf } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime, plural } from "../terminal/wording.ts";

type Foreign = Pick<Log, "foreign" | "ahead">;

export function printEvents(events: readonly RunEvent[], paint: Paint, { foreign, ahead }: Foreign = own): string {
  const [elsewhere, unbelieved] = [new Set(foreign), new Set(ahead)];
  const typeWidth = events.reduce((widest, { type }) => Math.max(widest, type.length), usualTypeWidth);
  return events
    .map((event) => {
      const time = unbelieved.has(event.seq) ? ", clock not trusted" : "";
      return printEvent(event, typeWidth, paint, elsewhere.has(event.seq) ? `(on another machine${time}) ` : "");
    })
    .join("");
}

const own: Foreign = { foreign: [], ahead: [] };

/** Fits all but the longest types, so that lines that --follow prints one at a time are aligned as well. */
const usualTypeWidth = 19;
const longestFact = 60;

/** One line per event: number, time, type and shortened fields; `holdfast show` prints them in full. */
function printEvent(event: RunEvent, typeWidth: number, paint: Paint, mark: string): string {
  const [number, time] = [String(event.seq).padStart(5), localTime(event.at, "seconds")];
  const head = `${number}  ${paint.dim(time)}  ${paint.strong(pad(event.type, typeWidth))}  `;
  return `${head}${paint.fit(`${mark}${factsOf(event)}`, paint.columns - widthOf(head))}`.trimEnd().concat("\n");
}

const left = ["seq", "at", "type", "runId", "workflowType", "templateHash", "place", "fingerprint", "key"];

function factsOf(event: RunEvent): string {
  if (event.type === "gates-checked") {
    const seen = event.evidence.map(({ what, held, exitCode }) => {
      const code = exitCode === undefined || held ? "" : ` (exit ${exitCode})`;
      return `${short(what)} ${held ? "passed" : "failed"}${code}`;
    });
    return `token=${event.token} ${seen.join("; ")}`;
  }
  if (event.type === "step-skipped") return `${placeText(event.place)} when=${short(event.when)}`;
  return Object.entries(event)
    .filter(([name, value]) => value !== null && !left.includes(name))
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(" ");
}

/** Not the key of its output: that is beside a schema, and the schemas would make the program start slowly. */
function placeText(place: Place): string {
  return place.type === "sub-step" ? `${place.step}.${place.task}.${place.subStep}` : place.step;
}

function valueText(value: unknown): string {
  if (isSeat(value)) return short([value.terminal ?? "no terminal", ...value.programs].join(" < "));
  if (typeof value === "string") return short(value);
  return short(Array.isArray(value) ? plural(value.length, "item") : JSON.stringify(value));
}

function isSeat(value: unknown): value is Seat {
  return typeof value === "object" && value !== null && "terminal" in value && "programs" in value;
}

function short(text: string): string {
  return clip(text.replace(/\s+/g, " ").trim(), longestFact);
}
