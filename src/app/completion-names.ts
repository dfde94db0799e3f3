import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunId } from "../model/run-id.ts";
import { stateFolder } from "../platform/links.ts";
import { findRoots } from "../platform/roots.ts";
import { listWorkflows } from "./workflows/catalog.ts";

/** A shell expands what it is offered, and the names come from a project that may not be trusted. */
const plainName = /^\w[\w.-]{0,99}$/;

/** More would not help anyone who presses Tab. */
const mostNames = 500;

/** Names for a shell's completion: read from folders, without reading or checking a workflow or a journal. */
export async function completionNames(kind: "runs" | "workflows", cwd: string): Promise<readonly string[]> {
  const roots = findRoots(cwd);
  if (kind === "runs")
    return readdirSync(join(roots.stateRoot, stateFolder, "runs"))
      .filter(isRunId)
      .slice(0, mostNames);
  const builtInFolder = fileURLToPath(new URL("../../workflows/", import.meta.url));
  const names = (await listWorkflows({ roots, builtInFolder })).map(({ name }) => name);
  return names.filter((name) => plainName.test(name)).slice(0, mostNames);
}
