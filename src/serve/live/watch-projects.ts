import { isHoldfastError } from "../../errors.ts";
import type { Deps } from "../../operation/operation.ts";
import type { LiveMessage } from "../contract/contract.ts";
import { HttpProblem } from "../http/problem.ts";
import { type ProjectWatch, watchProject } from "./watch-project.ts";

export interface WatchedProjects {
  readonly projects: {
    list(): readonly { readonly id: string; readonly problem: string | null }[];
    open(id: string): Deps;
  };
  report(error: unknown): void;
}

/** In milliseconds: after so long the other projects have their turn. */
const longestLook = 1_000;

/** Looks at all projects, as often as it is told to, until it is stopped; then it can begin anew. */
export function watchProjects({ projects, report }: WatchedProjects, tell: (message: LiveMessage) => void) {
  const watches = new Map<string, ProjectWatch>();
  const looking = new Map<string, Promise<void>>();
  /** Which projects there were at the last look; null before the first. */
  let known: string | null = null;

  async function lookAt(id: string): Promise<void> {
    try {
      const old = watches.get(id);
      const watch = old ?? watchProject(id, projects.open(id), report);
      watches.set(id, watch);
      const began = Date.now();
      await watch.look(tell);
      // Readers were let in meanwhile, and what changed since then is not known.
      if (old === undefined && Date.now() - began >= longestLook) tell({ type: "reset" });
    } catch (error) {
      // One project that cannot be read must not silence the others.
      if (!isHoldfastError(error) && !(error instanceof HttpProblem)) report(error);
    }
  }

  /** One project whose database does not answer must not keep the others waiting. */
  async function lookAtMost(milliseconds: number, id: string): Promise<void> {
    if (looking.has(id)) return;
    const look = lookAt(id).finally(() => looking.delete(id));
    looking.set(id, look);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds).unref();
    });
    await Promise.race([look, late]);
    clearTimeout(timer);
  }

  return {
    async look(): Promise<void> {
      const rows = projects.list();
      for (const { id, problem } of rows) if (problem === null) await lookAtMost(longestLook, id);
      const now = JSON.stringify(rows.map(({ id, problem }) => [id, problem, watches.has(id)]));
      // The first look at a project tells of no run, and no message tells of a project.
      if (known !== null && known !== now) tell({ type: "reset" });
      known = now;
    },
    async stop(): Promise<void> {
      const stopped = [...watches.values()];
      watches.clear();
      known = null;
      await Promise.all([...stopped.map((watch) => watch.stop()), ...looking.values()]);
    },
  };
}
