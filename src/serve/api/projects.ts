import { realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { compose } from "../../app/compose.ts";
import { slugOf } from "../../cards/slug.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Caller, Deps } from "../../operation/operation.ts";
import { unreadable } from "../../platform/files.ts";
import { refuseLinks, stateFolder, systemError } from "../../platform/links.ts";
import { systemProblem } from "../../platform/system-problem.ts";
import type { User } from "../../project/find-user.ts";
import { type KnownProject, knownProjects } from "../../project/known-projects.ts";
import type { ProjectRow } from "../contract/contract.ts";
import { HttpProblem } from "../http/problem.ts";

/** The projects of the user, each opened when it is first asked for. */
export interface Projects {
  list(): readonly ProjectRow[];
  /** Throws if there is no such project, or if it cannot be read. */
  open(id: string): Deps;
  /** Ends connections to databases. */
  close(): Promise<void>;
}

export function createProjects(user: User, nobody: Caller): Projects {
  const opened = new Map<string, Deps>();
  const list = () => withIds(withoutLinks(knownProjects(user))).map(({ id, folder }) => rowOf(id, folder));
  return {
    list,
    open(id) {
      const row = list().find((each) => each.id === id);
      if (row === undefined) {
        throw new HttpProblem(404, "project-unknown", "there is no such project here", "see GET /api/projects");
      }
      if (row.problem !== null) {
        const next = "restore the folder, or choose another project";
        throw new HttpProblem(503, "project-unreadable", `${row.folder}: ${row.problem}`, next);
      }
      const deps = opened.get(row.folder) ?? compose(row.folder, nobody);
      opened.set(row.folder, deps);
      deps.refuseLinks();
      return deps;
    },
    async close() {
      await Promise.all([...opened.values()].map(({ store }) => store.close()));
    },
  };
}

/** A folder that is known under several paths counts once, under its own if that is known. */
function withoutLinks(known: readonly KnownProject[]): readonly KnownProject[] {
  const places = known.map((project) => ({ project, place: realPath(project.folder) }));
  const own = new Set(places.filter(({ project, place }) => place === project.folder).map(({ place }) => place));
  const seen = new Set<string>();
  return places
    .filter(({ project, place }) => {
      const isFirst = own.has(place) ? place === project.folder : !seen.has(place);
      seen.add(place);
      return isFirst;
    })
    .map(({ project }) => project);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    // What cannot be followed stands for itself, and its row tells what is wrong.
    if (systemProblem(error) === null) throw error;
    return folder;
  }
}

/** As few letters of the hash as tell the projects apart. */
function withIds(known: readonly KnownProject[]): readonly (KnownProject & { readonly id: string })[] {
  const idOf = ({ key, folder }: KnownProject, length: number) =>
    `${slugOf(basename(folder) || "root")}-${key.slice(0, length)}`;
  const lengths = [4, 6, 8, 12, 16];
  const length = lengths.find((each) => new Set(known.map((project) => idOf(project, each))).size === known.length);
  return known.map((project) => ({ ...project, id: idOf(project, length ?? 16) }));
}

function rowOf(id: string, folder: string): ProjectRow {
  return { id, name: basename(folder), folder, problem: problemOf(folder) };
}

function problemOf(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return "it is not a folder any more";
    refuseLinks(folder);
    refuseUnreadable(join(folder, stateFolder, "runs"));
    return null;
  } catch (error) {
    const problem = isHoldfastError(error) ? error.message : systemProblem(error);
    if (problem === null) throw error;
    return problem === systemProblem(Object.assign(new Error(), { code: "ENOENT", syscall: "stat" }))
      ? "the folder is gone"
      : problem;
  }
}

/** Without reading the names: this is asked with every request. */
function refuseUnreadable(runs: string): void {
  try {
    if (statSync(runs, { throwIfNoEntry: false })?.isDirectory() === false) throw systemError("ENOTDIR", "stat");
  } catch (cause) {
    throw unreadable(runs, cause);
  }
}
