import { parallelOf } from "../../engine/step-settings.ts";
import { lastEnding, runProjectRoot } from "../../journal/outputs.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { Visit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import type { Evidence } from "../../serve/contract/contract.ts";

/** In characters, for each of them; `holdfast log` has all of it. */
const longestText = 8_000;

/** What a person who decides about a visit should see of its events, and of what came before. */
export async function evidenceFor(
  deps: Deps,
  standing: LiveStanding,
  template: Template,
  visit: Visit,
  events: readonly RunEvent[],
): Promise<Evidence[]> {
  const loop = parallelOf(template, visit.place.step) === null ? null : visit.place.step;
  const before = await lastEnding(deps, standing, loop, visit);
  const root = runProjectRoot(deps.roots, visit.claim ?? standing.run);
  const shown = (title: string, text: string) => evidence(title, fillProjectRoot(text, root));
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
function gatesIn(events: readonly RunEvent[]): { readonly title: string; readonly text: string }[] {
  const checked = events.findLast((event) => event.type === "gates-checked" && event.purpose === "gate");
  if (checked?.type !== "gates-checked") return [];
  const [failed, held] = [checked.evidence.filter((each) => !each.held), checked.evidence.filter((each) => each.held)];
  const passed = held.map(({ what }) => what).join("\n");
  return [
    ...failed.map(({ what, tail = "", timedOut }) => ({
      title: `${timedOut ? "Gate timed out" : "Gate failed"}: ${what}`,
      text: tail === "" ? "It printed nothing." : tail,
    })),
    ...(passed === "" ? [] : [{ title: "Gates passed", text: passed }]),
  ];
}

function lastTail(events: readonly RunEvent[]): string[] {
  const last = events.findLast((event) => event.type === "command-interrupted" || event.type === "command-ended");
  if (last?.type === "command-interrupted") return last.tail ? [last.tail] : [];
  return last?.type === "command-ended" && last.evidence.tail ? [last.evidence.tail] : [];
}
