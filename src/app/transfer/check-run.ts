import { findCommandVariable } from "../../engine/commands/typed-variables.ts";
import { findStep, sourceAt, stepSettings } from "../../engine/step-settings.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import { quote } from "../../model/quote.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import type { CopiedCommit } from "../../store/store.ts";
import { templateFile } from "../../templates/hash.ts";
import { type Frozen, parseFrozen } from "../workflows/parse-frozen.ts";
import { foldRun, type RunCopy, templatesByFile } from "./run-copy.ts";

/** A run to check: commits that are each valid, and a way to read the templates that they name. */
export interface RunParts {
  readonly runId: string;
  readonly commits: readonly CopiedCommit[];
  /** Null if there is no such file. */
  readTemplate(name: string): Promise<string | null>;
}

export interface Fault {
  /** The faulty commit; null if the fault is in the run as a whole. */
  readonly commit: number | null;
  readonly problem: string;
}

/** Checks a run as a whole: one that Holdfast could not have written is neither received nor sent. */
export async function checkRun(parts: RunParts): Promise<RunCopy | Fault> {
  const { runId, commits } = parts;
  const misnumbered = numberFault(commits);
  if (misnumbered !== null) return misnumbered;
  const run = foldRun(commits);
  if (run === null) return { commit: null, problem: "it does not start a run" };
  if (run.runId !== runId) return { commit: null, problem: `its journal belongs to the run ${run.runId}` };
  const read = await readTemplates(parts);
  if ("problem" in read) return read;
  const { texts, templates } = read;
  const template = templates.get(run.templateHash);
  if (template === undefined) {
    return { commit: null, problem: `its template ${templateFile(run.templateHash)} is missing` };
  }
  return eventFault(commits, templates) ?? openFault(run, template) ?? { run, commits, templates: texts };
}

/** Events must be numbered from 1 without gaps, and only the first one starts the run: `foreign` relies on the numbers. */
function numberFault(commits: readonly CopiedCommit[]): Fault | null {
  let seq = 0;
  for (const { version, events } of commits) {
    if (events.length === 0) return { commit: version, problem: "it has no events" };
    for (const event of events) {
      seq += 1;
      const problem = misplaced(event, seq);
      if (problem !== null) return { commit: version, problem };
    }
  }
  return null;
}

function misplaced(event: RunEvent, seq: number): string | null {
  if (event.seq !== seq) return `event ${event.seq} is out of order: event ${seq} is expected`;
  if (event.type === "run-started") return seq === 1 ? null : "it starts the run a second time";
  return seq === 1 ? "it does not begin with the start of a run" : null;
}

interface Templates {
  readonly texts: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, Template>;
}

/** Reads the templates that the journal names. One that the run no longer uses may be missing. */
async function readTemplates({ runId, commits, readTemplate }: RunParts): Promise<Templates | Fault> {
  const texts = new Map<string, string>();
  const templates = new Map<string, Template>();
  for (const [name, hash] of templatesByFile(commits)) {
    const text = await readTemplate(name);
    if (text === null) continue;
    const frozen: Frozen | string = parseFrozen(`${runId}/${name}`, text, hash);
    if (typeof frozen === "string") return { commit: null, problem: `${name}: ${frozen}` };
    texts.set(name, text);
    templates.set(hash, frozen.template);
  }
  return { texts, templates };
}

/** Every event must fit the template that the run had at that point. */
function eventFault(commits: readonly CopiedCommit[], templates: ReadonlyMap<string, Template>): Fault | null {
  let template: Template | undefined;
  for (const { version, events } of commits) {
    for (const event of events) {
      if ("templateHash" in event) template = templates.get(event.templateHash);
      const problem = template === undefined ? null : misfit(template, event);
      if (problem !== null) return { commit: version, problem };
    }
  }
  return null;
}

/** A visit must have its place, and sets no command: only the start of a run does. */
function misfit(template: Template, event: RunEvent): string | null {
  if ("place" in event && !hasPlace(template, event.place)) return noSuchPlace(event.place);
  const sent = event.type === "visit-ended" ? (event.variables ?? {}) : {};
  const variable = findCommandVariable(template, sent);
  return variable === null ? null : `it sets the command ${quote(variable)} after the run was started`;
}

/** The current template must contain the places of the open visits. */
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
    case "command":
      return step?.type === "command" || sourceAt(template, place) !== null;
    case "sub-step":
      return step?.type === "loop" && stepSettings(template, place) !== null;
    case "ralph":
      return step?.type === "ralph" && place.iteration <= step.n;
  }
}

function noSuchPlace({ step }: Place): string {
  return `it has a visit to ${quote(step)} that does not exist in its template`;
}
