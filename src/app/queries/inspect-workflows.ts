import { lstatSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { RunId } from "../../model/ids.ts";
import { quote } from "../../model/quote.ts";
import { commandsIn, coverLines } from "../../model/trust/cover.ts";
import { jsonSchema, schemaNames } from "../../model/written/json-schema.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { Problem } from "../../templates/problem.ts";
import type { WorkflowReading } from "../../templates/reuse/load-workflow.ts";
import { findRun, liveRuns, newestFirst } from "../runs/choose-run.ts";
import { findWorkflow, listWorkflows, readWorkflow, shortPath } from "../workflows/catalog.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { personOf } from "../workflows/person.ts";
import {
  checkTrust,
  type Trustable,
  trust,
  trustableRun,
  trustableWorkflow,
  trustQuestion,
} from "../workflows/trust.ts";
import { type RunRow, rowOf } from "./list-runs.ts";
import { type Graph, graphOf } from "./workflow-graph.ts";

export interface WorkflowRow {
  readonly name: string;
  readonly origin: "project" | "built-in";
  readonly description: string;
  readonly steps: number;
  /** A project's own workflow that hides a built-in one. */
  readonly shadows: boolean;
  /** The workflows that it extends, as the files name them: the nearest first. */
  readonly extends: readonly { readonly name: string; readonly origin: "project" | "built-in" }[];
  readonly valid: boolean;
}

export const listWorkflowRows = defineOperation({
  summary: "List the workflows that can be started here, and the live runs.",
  input: z.strictObject({}),
  async run(deps) {
    const rows: WorkflowRow[] = [];
    for (const { name, origin, file, shadows } of await listWorkflows(deps)) {
      const reading = await readingOf(deps, file);
      const { description, steps } = reading?.ok ? reading.template : { description: "", steps: [] };
      const bases = reading?.bases.map((base) => ({ name: base.extends, origin: base.origin })) ?? [];
      const facts = { steps: steps.length, shadows, extends: bases, valid: reading?.ok ?? false };
      rows.push({ name, origin, description, ...facts });
    }
    return yes({ workflows: rows, ...listed(deps, newestFirst(await liveRuns(deps)).map(rowOf)) });
  },
});

/** An agent gets no more runs than these: their rows would fill its context. */
const mostForAgents = 20;

function listed({ caller }: Deps, runs: readonly RunRow[]): { runs: readonly RunRow[]; moreRuns?: number } {
  if (caller.face !== "mcp" || runs.length <= mostForAgents) return { runs };
  return { runs: runs.slice(0, mostForAgents), moreRuns: runs.length - mostForAgents };
}

/** Null for a file that cannot be read; the others are still listed. */
async function readingOf(deps: Deps, file: string): Promise<WorkflowReading | null> {
  try {
    return await readWorkflow(deps, file);
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return null;
    throw error;
  }
}

export interface LintedFile {
  readonly file: string;
  readonly problems: readonly Problem[];
}

export const lintWorkflows = defineOperation({
  summary: "Check workflow files; by default all of this project.",
  input: z.strictObject({
    files: z.array(z.string()).optional().describe("Files, relative to the working directory."),
  }),
  async run(deps, { files = [] }) {
    const linted: LintedFile[] = [];
    if (files.length === 0) linted.push(...(await lintOwn(deps)));
    for (const file of files.map((name) => resolve(deps.cwd, name))) {
      linted.push({ file: relative(deps.cwd, file), problems: await problemsIn(deps, file) });
    }
    const errors = linted.flatMap(({ problems }) => problems.filter((problem) => problem.severity === "error"));
    return yes({ ok: errors.length === 0, files: linted });
  },
});

/** All workflows of the project. One that cannot be read has a problem like any other, so that the others are checked, too. */
async function lintOwn(deps: Deps): Promise<LintedFile[]> {
  const linted: LintedFile[] = [];
  const used = new Map<string, string>();
  for (const { name, origin, file: path } of await listWorkflows(deps)) {
    if (origin !== "project") continue;
    const file = shortPath(deps, path);
    const first = used.get(name);
    used.set(name, first ?? file);
    const as = first === undefined ? name : null;
    const problems = await problemsIn(deps, path, as).catch((error: unknown) => [unreadableProblem(error)]);
    linted.push({ file, problems: first === undefined ? problems : [hiddenBy(first), ...problems] });
  }
  return linted;
}

function hiddenBy(file: string): Problem {
  return { severity: "error", path: "", message: `is never used, because ${file} has the same name`, position: null };
}

function unreadableProblem(error: unknown): Problem {
  if (!isHoldfastError(error, "file-unreadable")) throw error;
  return { severity: "error", path: "", message: `cannot be read: ${error.data.problem}`, position: null };
}

/** `as` is the name that the workflow is started by; null if it is not in the folder of the project's workflows. */
async function problemsIn(deps: Deps, file: string, as: string | null = null): Promise<readonly Problem[]> {
  const reading = await readWorkflow(deps, file, (path) => sizeIn(deps, path));
  if (!reading.ok) return [...reading.problems, ...reading.warnings];
  return [...reading.warnings, ...(as === null ? [] : otherName(as, reading.template.name))];
}

function otherName(as: string, name: string): Problem[] {
  if (as === name) return [];
  const message = `is not what the file is called; it is started as ${quote(as)}, and its runs are called ${quote(name)}`;
  return [{ severity: "warning", path: "name", message, position: null }];
}

/** The size of a file inside the project. */
function sizeIn({ roots }: Deps, path: string): number | null {
  const file = resolve(roots.projectRoot, path);
  const there = file.startsWith(roots.projectRoot + sep) ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
  return there?.isFile() ? there.size : null;
}

export const showSchema = defineOperation({
  summary: "The JSON Schema of a format.",
  input: z.strictObject({ name: z.enum(schemaNames).default("template").describe("Which one.") }),
  async run(_deps, { name }) {
    return yes(jsonSchema(name));
  },
});

export const graphWorkflow = defineOperation({
  summary: "The steps of a workflow and the transitions between them.",
  input: z.strictObject({ workflow: z.string().describe("A workflow's name, or the path of its file.") }),
  async run(deps, { workflow }): Promise<Outcome<Graph>> {
    const found = await findWorkflow(deps, workflow);
    return found.ok ? yes(graphOf(found.value.template)) : found;
  },
});

export const trustWorkflow = defineOperation({
  summary: "Trust a workflow's commands, exactly as they are now.",
  input: z.strictObject({
    workflow: z.string().describe("A workflow's name or file, or a run, for the template that it uses."),
    yes: z.boolean().optional().describe("Do not ask first."),
    hash: z.string().optional().describe("Only if the template still has this hash: the person has seen that one."),
  }),
  async run(deps, { workflow, yes: sure, hash: seen }) {
    const person = await personOf(deps, "trusting a workflow");
    if (!person.ok) return person;
    const found = RunId.safeParse(workflow).success ? await fromRun(deps, workflow) : await fromFile(deps, workflow);
    if (!found.ok) return found;
    const { hash, ...trustable } = found.value;
    const untrusted = await checkTrust(deps, trustable);
    if (untrusted !== null && seen !== undefined && seen !== hash) return untrusted;
    const { confirm, person: onPage } = deps.caller;
    const isAsked = untrusted !== null && sure !== true && (confirm ?? onPage) !== undefined;
    // On a page nobody is asked here: the refusal shows what would be trusted.
    if (isAsked && (await confirm?.(await trustQuestion(deps, trustable))) !== true) return untrusted;
    await trust(deps, trustable);
    const { name, cover } = trustable;
    return yes({ workflow: name, hash, commands: commandsIn(cover), covers: coverLines(cover) });
  },
});

/** What to trust, and the hash of its template. */
type Found = Trustable & { readonly hash: string };

async function fromFile(deps: Deps, workflow: string): Promise<Outcome<Found>> {
  const found = await findWorkflow(deps, workflow);
  if (!found.ok) return found;
  const { template, hash, entry } = found.value;
  return yes({ ...trustableWorkflow(entry.name, template, {}), hash });
}

/** A run's own template may differ from the workflow's file, and may come from another machine. */
async function fromRun(deps: Deps, runId: string): Promise<Outcome<Found>> {
  const found = await findRun(deps, runId);
  if (!found.ok) return found;
  const { run } = found.value;
  const { template } = await readFrozen(deps, run);
  return yes({ ...trustableRun(run.workflow, template, run), hash: run.templateHash });
}
