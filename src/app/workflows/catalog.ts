import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join, relative, resolve, sep } from "node:path";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { hasCode, readBytes, unreadable } from "../../platform/files.ts";
import { stateFolder } from "../../platform/roots.ts";
import type { Reading } from "../../templates/load.ts";
import { problemText } from "../../templates/problem.ts";
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
}

const endings = [".yaml", ".yml", ".json"];

export async function listWorkflows(deps: Pick<Deps, "roots" | "builtInFolder">): Promise<readonly CatalogEntry[]> {
  const builtIn = filesIn(deps.builtInFolder);
  const own = filesIn(ownFolder(deps));
  const builtInNames = new Set(builtIn.map(nameOf));
  const ownNames = new Set(own.map(nameOf));
  return [
    ...own.map((file) => entryOf(file, "project", builtInNames.has(nameOf(file)))),
    ...builtIn.filter((file) => !ownNames.has(nameOf(file))).map((file) => entryOf(file, "built-in", false)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** By name, or by the path of a file inside the project. */
export async function findWorkflow(deps: Deps, workflow: string): Promise<Outcome<FoundWorkflow>> {
  const entry = await findEntry(deps, workflow);
  if (entry === null) {
    const known = (await listWorkflows(deps)).map(({ name }) => name);
    return no({ code: "workflow-unknown", workflow, known });
  }
  const reading = await readWorkflow(entry.file);
  const file = shortPath(deps, entry.file);
  if (!reading.ok) return no({ code: "template-invalid", file, problems: reading.problems.map(problemText) });
  const from = isPath(workflow) ? file : workflow;
  return yes({ entry, from, template: reading.template, hash: reading.hash });
}

export async function findEntry(deps: Deps, workflow: string): Promise<CatalogEntry | null> {
  if (isPath(workflow)) return entryAt(deps, workflow);
  return (await listWorkflows(deps)).find(({ name }) => name === workflow) ?? null;
}

/**
 * The files and folders that `findEntry` depends on: while none of them changes, its result stays the same. Built-in
 * workflows do not change while the program runs.
 */
export function placesOf(deps: Deps, workflow: string): readonly string[] {
  return isPath(workflow) ? candidates(deps, workflow) : [ownFolder(deps)];
}

export async function readWorkflow(file: string, sizeOf?: SizeOf): Promise<Reading> {
  const bytes = await readBytes(file);
  // Most calls need no workflow file, and reading YAML takes long to load.
  const { loadTemplate } = await import("../../templates/load.ts");
  return loadTemplate(bytes, sizeOf);
}

/** A path as a person would write it inside the project. */
export function shortPath({ roots }: Pick<Deps, "roots">, file: string): string {
  const short = relative(roots.projectRoot, file);
  return short.startsWith("..") ? basename(file) : short;
}

function isPath(workflow: string): boolean {
  return workflow.includes("/") || workflow.includes(sep) || endings.includes(extname(workflow));
}

function ownFolder({ roots }: Pick<Deps, "roots">): string {
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
  return { name: nameOf(file), origin, file, shadows };
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder);
    return names
      .filter((name) => endings.includes(extname(name)) && !name.startsWith("."))
      .map((name) => join(folder, name));
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return [];
    throw unreadable(folder, cause);
  }
}
