import { findStep, stepSettings } from "../../engine/step-settings.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import { quote } from "../../model/quote.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { CopiedCommit } from "../../store/journal-copy.ts";
import { templateFile } from "../../templates/hash.ts";
import { type Frozen, parseFrozen } from "../workflows/frozen-template.ts";
import { foldRun, type RunCopy, templateHashes } from "./run-copy.ts";

/** What is to be checked: commits that are sound each by itself, and where the templates are that they name. */
export interface RunParts {
  readonly runId: string;
  readonly commits: readonly CopiedCommit[];
  /** Null when there is no such file. */
  readTemplate(name: string): Promise<string | null>;
}

export interface Fault {
  /** The commit that shows it; null when all of them together do. */
  readonly commit: number | null;
  readonly problem: string;
}

/** A run as a whole: what no machine of ours could have written is not taken, and does not leave. */
export async function checkRun(parts: RunParts): Promise<RunCopy | Fault> {
  const { runId, commits } = parts;
  const misnumbered = numberFault(commits);
  if (misnumbered !== null) return misnumbered;
  const run = foldRun(commits);
  if (run === null) return { commit: null, problem: "no run begins in it" };
  if (run.runId !== runId) return { commit: null, problem: `its journal is that of the run ${run.runId}` };
  const read = await readTemplates(parts);
  if ("problem" in read) return read;
  const { texts, templates } = read;
  const template = templates.get(run.templateHash);
  if (template === undefined) {
    return { commit: null, problem: `its template ${templateFile(run.templateHash)} is missing` };
  }
  return placeFault(commits, templates) ?? openFault(run, template) ?? { run, commits, templates: texts };
}

/** Events are numbered as they stand, and the first one, which alone starts a run, is 1: what is foreign goes by that. */
function numberFault(commits: readonly CopiedCommit[]): Fault | null {
  let seq = 0;
  for (const { version, events } of commits) {
    if (events.length === 0) return { commit: version, problem: "it holds no event" };
    for (const event of events) {
      seq += 1;
      const problem = misplaced(event, seq);
      if (problem !== null) return { commit: version, problem };
    }
  }
  return null;
}

function misplaced(event: RunEvent, seq: number): string | null {
  if (event.seq !== seq) return `event ${event.seq} stands where event ${seq} belongs`;
  if (event.type === "run-started") return seq === 1 ? null : "a run that has begun starts again in it";
  return seq === 1 ? "it does not begin with the start of a run" : null;
}

interface Templates {
  readonly texts: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, Template>;
}

/** Only those that the journal names. One that the run has left behind may be missing. */
async function readTemplates({ commits, readTemplate }: RunParts): Promise<Templates | Fault> {
  const texts = new Map<string, string>();
  const templates = new Map<string, Template>();
  for (const [name, hash] of templateHashes(commits)) {
    const text = await readTemplate(name);
    if (text === null) continue;
    const frozen: Frozen | string = parseFrozen(text, hash);
    if (typeof frozen === "string") return { commit: null, problem: `${name}: ${frozen}` };
    texts.set(name, text);
    templates.set(hash, frozen.template);
  }
  return { texts, templates };
}

/** Every place is one of the template that the run had then. */
function placeFault(commits: readonly CopiedCommit[], templates: ReadonlyMap<string, Template>): Fault | null {
  let template: Template | undefined;
  for (const { version, events } of commits) {
    for (const event of events) {
      if ("templateHash" in event) template = templates.get(event.templateHash);
      if (!("place" in event) || template === undefined || hasPlace(template, event.place)) continue;
      return { commit: version, problem: noSuchPlace(event.place) };
    }
  }
  return null;
}

/** A template that was adopted has room for what was open then, whatever the one before it said. */
function openFault(run: StartedRun, template: Template): Fault | null {
  const lost = isLive(run) ? run.visits.find(({ place }) => !hasPlace(template, place)) : undefined;
  return lost === undefined ? null : { commit: null, problem: noSuchPlace(lost.place) };
}

function hasPlace(template: Template, place: Place): boolean {
  const step = findStep(template, place.step);
  switch (place.type) {
    case "action":
    case "loop":
      return step?.type === place.type;
    case "sub-step":
      return step?.type === "loop" && stepSettings(template, place) !== null;
    case "ralph":
      return step?.type === "ralph" && place.iteration <= step.n;
  }
}

function noSuchPlace({ step }: Place): string {
  return `it tells of a visit to ${quote(step)} that its template has no room for`;
}
