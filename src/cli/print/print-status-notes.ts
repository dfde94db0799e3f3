import type { MomentFacts, StatusReply } from "../../app/runs/reply.ts";
import type { Submission } from "../../app/runs/submission.ts";
import { clip } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** Who drives a run, or why nobody does; nothing for a run that no runner has driven. */
export function drivingTexts({ driven, parked, runId }: StatusReply): string[] {
  if (driven !== undefined) return [`Driven by ${driven.agent} since ${localTime(driven.since, "minutes")}.`];
  if (parked === undefined) return [];
  const until = parked.until === undefined ? "" : ` until ${localTime(parked.until, "minutes")}`;
  return [`Parked${until}: ${parked.reason.replace(/\s+/g, " ")}. Go on with: holdfast run --resume ${runId}`];
}

const othersNamed = 2;

/** The other live runs of the project. */
export function othersText(runs: readonly string[]): string {
  const more = runs.length - othersNamed;
  return `Also live: ${runs.slice(0, othersNamed).join(", ")}${more > 0 ? ` and ${more} more; see holdfast runs` : ""}`;
}

/** For a run in a shared store that could not be used. */
export function staleText(asOf: string | null, problem = "the shared store could not be reached"): string {
  const since = asOf === null ? "from the files here" : `as of ${localTime(asOf, "minutes")}`;
  return `This is ${since}: ${problem}.`;
}

/** The moment of the past that is shown. */
export function momentText({ event, type, at, last }: MomentFacts): string {
  return `As of event ${event} of ${last}, ${type}, ${localTime(at, "seconds")}`;
}

/** What an agent has submitted for approval, up to so many lines of it. */
export function submissionLines(
  { submitted, outcome }: Submission,
  paint: Paint,
  most = Number.POSITIVE_INFINITY,
): string[] {
  if (submitted === null) return [];
  const chosen = outcome === undefined ? "" : ` with the outcome "${outcome}"`;
  if (submitted.trim() === "") return [`The agent submitted no text${chosen}.`];
  const edge = paint.edge - 6;
  const lines = wrapText(submitted.trim(), edge).split("\n");
  if (most === Number.POSITIVE_INFINITY)
    return [`The agent submitted${chosen}:`, ...lines.map((line) => `  | ${line}`)];
  // Code and long words are not wrapped, and would take up more lines than that.
  const shown = lines.slice(0, most).map((line) => clip(line, edge));
  const isWhole = lines.every((line, index) => line === shown[index]);
  const more = isWhole ? [] : ["  (shortened; holdfast log --json has more)"];
  return [`The agent submitted${chosen}:`, ...shown.map((line) => `  | ${line}`), ...more];
}
