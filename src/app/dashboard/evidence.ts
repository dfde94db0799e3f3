import { parallelOf } from "../../engine/step-settings.ts";
import { lastEnding } from "../../journal/outputs.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Visit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import type { Evidence } from "../../serve/contract/contract.ts";

/** In characters, for each of them; `holdfast log` has all of it. */
const longestText = 8_000;

/** The last event of each type that tells something about a wait. A visit can have many thousands. */
export type LastEvents = { [T in (typeof telling)[number]]?: Extract<RunEvent, { type: T }> };

const telling = [
  ...(["approval-requested", "question-asked", "review-opened", "decision-requested"] as const),
  ...(["gates-checked", "command-interrupted", "command-ended"] as const),
];

const types: ReadonlySet<string> = new Set(telling);

export async function lastOf(events: AsyncIterable<RunEvent>): Promise<LastEvents> {
  const last: Record<string, RunEvent> = {};
  for await (const event of events) {
    const isTelling = event.type === "gates-checked" ? event.purpose === "gate" : types.has(event.type);
    if (isTelling) last[event.type] = event;
  }
  return last;
}

/** What a person who decides about a visit should see of its events, and of what came before; `fill` inserts paths. */
export async function evidenceFor(
  deps: Deps,
  standing: LiveStanding,
  template: Template,
  visit: Visit,
  events: LastEvents,
  fill: (text: string) => string,
): Promise<Evidence[]> {
  const loop = parallelOf(template, visit.place.step) === null ? null : visit.place.step;
  const before = await lastEnding(deps, standing, loop, visit);
  const shown = (title: string, text: string) => evidence(title, fill(text));
  return [
    ...gatesIn(events).map(({ title, text }) => shown(title, text)),
    ...lastTail(events).map((tail) => shown("What the command printed", tail)),
    ...(before === null || before.output.trim() === ""
      ? []
      : [shown(`The output of ${before.place.step}`, before.output)]),
  ];
}

/** Gates print their results last, so the end is kept. */
export function evidence(title: string, text: string): Evidence {
  if (text.length <= longestText) return { title, text, isCut: false };
  return { title, text: text.slice(-longestText).replace(/^[\udc00-\udfff]/, ""), isCut: true };
}

/** What each gate said when they were last checked; those that failed first. */
function gatesIn({ "gates-checked": checked }: LastEvents): { readonly title: string; readonly text: string }[] {
  const all = checked?.evidence ?? [];
  const [failed, held] = [all.filter((each) => !each.held), all.filter((each) => each.held)];
  const silent = held.filter(({ tail = "" }) => tail === "");
  return [
    ...failed.map(({ what, tail = "", timedOut }) => ({
      title: `${timedOut ? "Gate timed out" : "Gate failed"}: ${what}`,
      text: tail === "" ? "It printed nothing." : tail,
    })),
    ...held.flatMap(({ what, tail = "" }) => (tail === "" ? [] : [{ title: `Gate passed: ${what}`, text: tail }])),
    ...(silent.length === 0 ? [] : [{ title: "Gates passed", text: silent.map(({ what }) => what).join("\n") }]),
  ];
}

function lastTail({ "command-interrupted": interrupted, "command-ended": ended }: LastEvents): string[] {
  const isInterrupted = (interrupted?.seq ?? 0) > (ended?.seq ?? 0);
  const tail = isInterrupted ? interrupted?.tail : ended?.evidence.tail;
  return tail ? [tail] : [];
}
