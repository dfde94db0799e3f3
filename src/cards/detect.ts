import { basename, dirname } from "node:path";
import { bare } from "../model/quote.ts";
import { realPath } from "../platform/links.ts";
import { mentionedFiles } from "./mentioned-files.ts";
import { markedPhase } from "./plan-phases.ts";
import { headOf, isFormal, isInProgress, planTitle } from "./plan-text.ts";
import { type CardPhase, defaultPhase, isOver, phaseWarning } from "./read-fields.ts";
import { mentionsWorkflow, sectionOf } from "./section.ts";
import { findSources, type Source } from "./sources.ts";
import { readWorkflowText, type WorkflowText } from "./workflow-text.ts";

/** A workflow that was not started as a run: it exists only as text in the project. */
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
  /** Why a source was rejected, and warnings about the one that was chosen. */
  readonly reasons: readonly string[];
}

export interface DetectSettings {
  readonly local?: readonly string[];
  readonly plans?: readonly string[];
  /** Words that mark a local file as describing a workflow when they are in a heading or in capitals. */
  readonly markers?: readonly string[];
}

/** Reads the workflow from exactly one source: the local file, else the newest plan in progress. */
export function detectWorkflow(projectRoot: string, settings: DetectSettings = {}): Detection {
  const root = realPath(projectRoot);
  if (root === null) return { found: null, others: [], reasons: [] };
  const { local = ["CLAUDE.local.md"], plans = ["CLAUDE/Plan/*/PLAN.md"], markers = ["workflow state"] } = settings;
  const reasons: string[] = [];
  const [tracked = null] = findSources(root, local, reasons).flatMap((source) => trackLocal(source, markers, reasons));
  const inProgress = findSources(root, plans, reasons).filter((source) => isPlanInProgress(source, reasons));
  const [newest, ...rest] = inProgress;
  if (tracked !== null) return { found: tracked, others: inProgress.map(({ path }) => path), reasons };
  const found = newest === undefined ? null : trackPlan(root, newest, reasons);
  return { found, others: rest.map(({ path }) => path), reasons };
}

function trackLocal({ path, text }: Source, markers: readonly string[], reasons: string[]): TrackedWorkflow[] {
  if (!mentionsWorkflow(text, markers)) {
    reasons.push(`${bare(path)}: no workflow found (no heading that names one, no "Workflow:" or "Phase:" line)`);
    return [];
  }
  const parsed = readWorkflowText(text, sectionOf(text, markers));
  const workflow = parsed.workflow ?? "Unnamed workflow";
  const phase = phaseOf(parsed, workflow);
  if (isOver(phase)) {
    reasons.push(`${bare(path)}: the workflow is complete`);
    return [];
  }
  return [tracked(path, workflow, phase, parsed, reasons)];
}

function isPlanInProgress({ path, text }: Source, reasons: string[]): boolean {
  if (/(?:^|\/)completed\//i.test(path) || !isInProgress(text)) return false;
  if (isFormal(text)) return true;
  reasons.push(`${bare(path)}: the plan is in progress, but mentions no phase or workflow`);
  return false;
}

function trackPlan(root: string, { path, text }: Source, reasons: string[]): TrackedWorkflow {
  const parsed = readWorkflowText(text, headOf(text));
  const { name, number } = planTitle(text, basename(dirname(path)));
  const context = { ...(number === null ? {} : { plan_number: number }), ...parsed.context };
  const mentioned = mentionedFiles(root, path, text).map((file) => `@${file}`);
  const required_reading = [...new Set([`@${path}`, ...parsed.required_reading, ...mentioned])];
  const marked = markedPhase(text);
  const named = marked === null ? null : { ...marked, name: marked.name === "" ? name : marked.name };
  const phase = phaseOf({ ...parsed, phase: parsed.phase ?? named, status: null }, name);
  return tracked(path, name, phase, { ...parsed, context, required_reading }, reasons);
}

function phaseOf(parsed: WorkflowText, workflow: string): CardPhase {
  const fallback = defaultPhase(workflow);
  return { ...fallback, ...parsed.phase, status: parsed.status ?? fallback.status };
}

function tracked(
  source: string,
  workflow: string,
  phase: CardPhase,
  parsed: WorkflowText,
  reasons: string[],
): TrackedWorkflow {
  const warning = phaseWarning(phase);
  if (warning !== null) reasons.push(`${bare(source)}: ${warning}`);
  const { required_reading, key_reminders, context } = parsed;
  const workflow_type = parsed.workflowType ?? "custom";
  return { workflow, workflow_type, phase, required_reading, key_reminders, context, source };
}
