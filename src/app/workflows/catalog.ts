import { existsSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { unreadable } from "../../platform/files.ts";
import { stateFolder } from "../../platform/links.ts";
import { readNamed } from "../../platform/path-inside.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { problemText } from "../../templates/problem.ts";
import { baseFinder, type FindBase } from "../../templates/reuse/base-file.ts";
import type { Base } from "../../templates/reuse/chain.ts";
import type { WorkflowReading } from "../../templates/reuse/load-workflow.ts";
import { isWorkflowPath, workflowFilesIn, workflowName } from "../../templates/reuse/workflow-files.ts";
import type { SizeOf } from "../../templates/sizes.ts";

/** A workflow file, named after the file. A project's own file hides a built-in one of the same name. */
export interface CatalogEntry {
  readonly name: string;
  readonly origin: "project" | "built-in";
  readonly file: string;
  readonly shadows: boolean;
}

export interface FoundWorkflow {
  readonly entry: CatalogEntry;
  /** Finds the workflow again: its name, or its path relative to the project. */
  readonly from: string;
  readonly template: Template;
  readonly hash: string;
  /** A hash of the file's bytes. */
  readonly source: string;
  /** The workflows that it extends; the template is the result. */
  readonly bases: readonly Base[];
}

export async function listWorkflows(deps: FolderDeps): Promise<readonly CatalogEntry[]> {
  const builtIn = workflowFilesIn(deps.builtInFolder);
  const own = workflowFilesIn(ownFolder(deps));
  const builtInNames = new Set(builtIn.map(workflowName));
  const ownNames = new Set(own.map(workflowName));
  return [
    ...own.map((file) => entryOf(file, "project", builtInNames.has(workflowName(file)))),
    ...builtIn.filter((file) => !ownNames.has(workflowName(file))).map((file) => entryOf(file, "built-in", false)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** By name, or by the path of a file inside the project. */
export async function findWorkflow(deps: Deps, workflow: string): Promise<Outcome<FoundWorkflow>> {
  const entry = await findEntry(deps, workflow);
  if (entry === null) {
    const known = (await listWorkflows(deps)).map(({ name }) => name);
    return no({ code: "workflow-unknown", workflow, known });
  }
  const reading = await readWorkflow(deps, entry.file);
  const file = shortPath(deps, entry.file);
  if (!reading.ok) return no({ code: "template-invalid", file, problems: reading.problems.map(problemText) });
  const from = isWorkflowPath(workflow) ? file : workflow;
  const { template, hash, source, bases } = reading;
  return yes({ entry, from, template, hash, source, bases });
}

export async function findEntry(deps: Deps, workflow: string): Promise<CatalogEntry | null> {
  if (isWorkflowPath(workflow)) return entryAt(deps, workflow);
  return (await listWorkflows(deps)).find(({ name }) => name === workflow) ?? null;
}

/**
 * The files and folders that `findEntry` depends on: while none of them changes, its result stays the same. Built-in
 * workflows do not change while the program runs.
 */
export function placesOf(deps: Deps, workflow: string): readonly string[] {
  return isWorkflowPath(workflow) ? candidates(deps, workflow) : [ownFolder(deps)];
}

/** Reads a workflow's file with everything that it extends. */
export async function readWorkflow(deps: FolderDeps, file: string, sizeOf?: SizeOf): Promise<WorkflowReading> {
  const content = readWorkflowFile(deps, file);
  // Most calls need no workflow file, and reading YAML takes long to load.
  const { loadWorkflow } = await import("../../templates/reuse/load-workflow.ts");
  return loadWorkflow({ file, content }, findBaseHere(deps), sizeOf);
}

/** The bytes of a workflow's file, which may be anywhere; a link in the project must stay inside. */
export function readWorkflowFile({ roots }: FolderDeps, file: string): Uint8Array {
  try {
    return readNamed(roots.projectRoot, file, sizeLimits.workflow);
  } catch (cause) {
    throw unreadable(shortPath({ roots }, file), cause);
  }
}

type FolderDeps = Pick<Deps, "roots" | "builtInFolder">;

/** Finds the workflows of this project and the built-in ones that others can extend. */
export function findBaseHere({ roots: { projectRoot, stateRoot }, builtInFolder }: FolderDeps): FindBase {
  return baseFinder({ projectRoot, stateRoot, builtInFolder });
}

/** A path as a person would write it inside the project. */
export function shortPath({ roots }: Pick<Deps, "roots">, file: string): string {
  const short = relative(roots.projectRoot, file);
  return short.startsWith("..") ? basename(file) : short;
}

export function ownFolder({ roots }: Pick<Deps, "roots">): string {
  return join(roots.stateRoot, stateFolder, "workflows");
}

/** A path may be relative to the working directory or to the project's root. */
function candidates({ cwd, roots }: Deps, path: string): readonly string[] {
  return [resolve(cwd, path), resolve(roots.projectRoot, path)];
}

function entryAt(deps: Deps, path: string): CatalogEntry | null {
  const { roots, givenWorkflow } = deps;
  if (path === givenWorkflow) return entryOf(path, "project", false);
  const file = candidates(deps, path).find(
    (candidate) => candidate.startsWith(roots.projectRoot + sep) && existsSync(candidate),
  );
  return file === undefined ? null : entryOf(file, "project", false);
}

function entryOf(file: string, origin: CatalogEntry["origin"], shadows: boolean): CatalogEntry {
  return { name: workflowName(file), origin, file, shadows };
}
