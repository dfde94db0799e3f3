import { stepSettings } from "../engine/step-settings.ts";
import { agentWords } from "../engine/view/agent-words.ts";
import type { World } from "../engine/view/instructions.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import { parseText } from "../model/placeholder.ts";
import type { Face } from "../model/refusal/wording.ts";
import type { StartedRun, Visit } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { type Roots, worktreeTop } from "../platform/roots.ts";
import type { RunJournal, Standing } from "./run-journal.ts";

interface Where {
  readonly roots: Roots;
  readonly journal: RunJournal;
}

/** The values that a visit's instructions insert. Reads only what they name from the journal. */
export async function instructionWorld(
  where: Where,
  standing: Standing,
  template: Template,
  visit: Visit | null,
  reader: Face,
): Promise<World> {
  const text = (visit === null ? null : stepSettings(template, visit.place))?.instructions ?? "";
  const outputs = text.includes("{outputs.") ? await outputsIn(where, standing, text) : null;
  const request = text.includes("{run.request}") ? await requestOf(where, standing.run.runId) : undefined;
  return {
    words: agentWords[reader],
    outputOf: (step) => outputs?.get(step),
    request,
    // Looked up only if the instructions use it, which few do.
    get projectRoot() {
      return runProjectRoot(where.roots, standing.run);
    },
  };
}

async function outputsIn(where: Where, standing: Standing, text: string): Promise<Map<string, string>> {
  const named = parseText(text).flatMap((part) =>
    part.type === "placeholder" && part.root === "outputs" ? [part.name] : [],
  );
  const outputs = new Map<string, string>();
  for (const step of new Set(named)) {
    const output = await latestOutput(where, standing, step);
    if (output !== null) outputs.set(step, output);
  }
  return outputs;
}

export async function latestOutput(
  { journal }: Pick<Where, "journal">,
  standing: Standing,
  step: string,
): Promise<string | null> {
  const ref = Object.hasOwn(standing.outputs, step) ? standing.outputs[step] : undefined;
  const commit = ref === undefined ? null : await journal.find(standing.run.runId, ref);
  const event = commit?.events.findLast(
    (each) => (each.type === "visit-ended" || each.type === "visit-failed") && each.place.step === step,
  );
  return event?.type === "visit-ended" || event?.type === "visit-failed" ? event.output : null;
}

/** How the last visit ended. A failed attempt that is repeated is not an end. */
export async function lastEnding({ journal }: Where, standing: Standing): Promise<Ending | null> {
  const newest = Object.values(standing.outputs).sort((a, b) => b.version - a.version);
  // Each look costs a read of the journal, and the newest is nearly always an end.
  for (const ref of newest.slice(0, 3)) {
    const commit = await journal.find(standing.run.runId, ref);
    const ending = commit?.events.findLast(isEnding);
    if (ending !== undefined) return ending;
  }
  return null;
}

export type Ending = EventOf<"visit-ended"> | EventOf<"visit-failed">;

function isEnding(event: RunEvent): event is Ending {
  return event.type === "visit-ended" || (event.type === "visit-failed" && event.retry === null);
}

/** What the person asked for, from the first event; undefined if they said nothing, or only a summary to an older version. */
export async function requestOf({ journal }: Pick<Where, "journal">, runId: string): Promise<string | undefined> {
  const first = await journal.find(runId, { version: 1, place: 0 });
  const started = first?.events.find((event) => event.type === "run-started");
  return started?.type === "run-started" ? started.request : undefined;
}

/** The root of the run's worktree, or of the current one if that is gone. */
export function runProjectRoot(roots: Roots, run: StartedRun): string {
  if (run.worktree === roots.worktree) return roots.projectRoot;
  return worktreeTop(roots.projectRoot, run.worktree) ?? roots.projectRoot;
}
