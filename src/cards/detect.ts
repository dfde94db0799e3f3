import { basename, dirname } from "node:path";
import { bare } from "../model/quote.ts";
import { realPath } from "./inside.ts";
import { type CardPhase, defaultPhase, isOver, phaseWarning } from "./phase.ts";
import { headOf, isFormal, isInProgress, planTitle } from "./plan-text.ts";
import { isMarked, sectionOf } from "./section.ts";
import { findSources, type Source } from "./sources.ts";
import { readWorkflowText, type WorkflowText } from "./workflow-text.ts";

/** A workflow that nobody started through us: it exists only as text. */
export interface TrackedWorkflow {
  readonly workflow: string;
  readonly workflow_type: string;
  readonly phase: CardPhase;
  readonly required_reading: readonly string[];
  readonly key_reminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  /** From the project root. */
  readonly source: string;
}

export interface Detection {
  readonly found: TrackedWorkflow | null;
  /** Other plans in progress, from the project root. */
  readonly others: readonly string[];
  /** Why a source did not count, and what is odd about the one that does. */
  readonly reasons: readonly string[];
}

export interface DetectSettings {
  readonly local?: readonly string[];
  readonly plans?: readonly string[];
  /** Words that, in a heading or in capitals, say that a local file tells of a workflow. */
  readonly markers?: readonly string[];
}

/** One source is the workflow, and no two are blended: the local file, then the newest plan in progress. */
export function detectWorkflow(projectRoot: string, settings: DetectSettings = {}): Detection {
  const root = realPath(projectRoot);
  if (root === null) return { found: null, others: [], reasons: [] };
  const { local = ["CLAUDE.local.md"], plans = ["CLAUDE/Plan/*/PLAN.md"], markers = ["workflow state"] } = settings;
  const reasons: string[] = [];
  const [tracked = null] = findSources(root, local, reasons).flatMap((source) => trackLocal(source, markers, reasons));
  const inProgress = findSources(root, plans, reasons).filter((source) => isPlanInProgress(source, reasons));
  const [newest, ...rest] = inProgress;
  if (tracked !== null) return { found: tracked, others: inProgress.map(({ path }) => path), reasons };
  const found = newest === undefined ? null : trackPlan(newest, reasons);
  return { found, others: rest.map(({ path }) => path), reasons };
}

function trackLocal({ path, text }: Source, markers: readonly string[], reasons: string[]): TrackedWorkflow[] {
  if (!isMarked(text, markers)) {
    reasons.push(`${bare(path)}: it names no workflow, neither in a heading nor in a line "Workflow:" or "Phase:"`);
    return [];
  }
  const said = readWorkflowText(text, sectionOf(text, markers));
  const workflow = said.workflow ?? "Unnamed workflow";
  const phase = phaseOf(said, workflow);
  if (isOver(phase)) {
    reasons.push(`${bare(path)}: its workflow is complete`);
    return [];
  }
  return [tracked(path, workflow, phase, said, reasons)];
}

function isPlanInProgress({ path, text }: Source, reasons: string[]): boolean {
  if (/(?:^|\/)completed\//i.test(path) || !isInProgress(text)) return false;
  if (isFormal(text)) return true;
  reasons.push(`${bare(path)}: it is in progress, but mentions no phase and no workflow`);
  return false;
}

function trackPlan({ path, text }: Source, reasons: string[]): TrackedWorkflow {
  const said = readWorkflowText(text, headOf(text));
  const { name, number } = planTitle(text, basename(dirname(path)));
  const context = { ...(number === null ? {} : { plan_number: number }), ...said.context };
  const required_reading = [...new Set([`@${path}`, ...said.required_reading])];
  const phase = phaseOf({ ...said, status: null }, name);
  return tracked(path, name, phase, { ...said, context, required_reading }, reasons);
}

function phaseOf(said: WorkflowText, workflow: string): CardPhase {
  const usual = defaultPhase(workflow);
  return { ...usual, ...said.phase, status: said.status ?? usual.status };
}

function tracked(
  source: string,
  workflow: string,
  phase: CardPhase,
  said: WorkflowText,
  reasons: string[],
): TrackedWorkflow {
  const doubt = phaseWarning(phase);
  if (doubt !== null) reasons.push(`${bare(source)}: ${doubt}`);
  const { required_reading, key_reminders, context } = said;
  const workflow_type = said.workflowType ?? "custom";
  return { workflow, workflow_type, phase, required_reading, key_reminders, context, source };
}
