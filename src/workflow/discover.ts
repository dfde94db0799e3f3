import { readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasCode } from "../platform/files.ts";
import { realFolderInside } from "../platform/path-inside.ts";
import { loadWorkflowTemplate, WorkflowValidationError } from "./loader.ts";

export interface DiscoverWorkflowsOptions {
  /** The project; by default the working directory. */
  workspaceRoot?: string;
  /** The folder of the project's own workflows, inside the project; by default `.holdfast/workflows`. */
  customWorkflowsFolder?: string;
  /** The folder whose `workflows/` has the built-in ones; by default this package. */
  extensionPath?: string;
}

export interface WorkflowMetadata {
  name: string;
  description: string;
  /** Absolute. */
  path: string;
  isBuiltIn: boolean;
}

const packageRoot = fileURLToPath(new URL("../../", import.meta.url));

/** The workflows that a program can load here, built-in ones first. Files that are not valid workflows are left out. */
export async function discoverWorkflows(options: DiscoverWorkflowsOptions = {}): Promise<WorkflowMetadata[]> {
  const { workspaceRoot = process.cwd(), customWorkflowsFolder = ".holdfast/workflows", extensionPath } = options;
  const builtIn = filesIn(join(extensionPath ?? packageRoot, "workflows"));
  const own = filesIn(realFolderInside(workspaceRoot, customWorkflowsFolder));
  const found = [...builtIn.map((path) => describe(path, true)), ...own.map((path) => describe(path, false))];
  return (await Promise.all(found)).filter((each) => each !== null);
}

async function describe(path: string, isBuiltIn: boolean): Promise<WorkflowMetadata | null> {
  try {
    const { name, description } = await loadWorkflowTemplate(path);
    return { name, description, path, isBuiltIn };
  } catch (cause) {
    if (cause instanceof WorkflowValidationError || hasCode(cause, "ENOENT", "EACCES")) return null;
    throw cause;
  }
}

const endings = [".yaml", ".yml", ".json"];

function filesIn(folder: string | null): string[] {
  if (folder === null) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.includes(extname(entry.name)) && !entry.name.startsWith("."))
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw cause;
  }
}
