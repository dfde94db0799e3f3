import type { ProjectRow } from "../../serve/contract/contract.ts";
import { facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

export interface ServingFacts {
  readonly url: string;
  readonly level: "read" | "person";
  /** Why it only reads; null if a person may act. */
  readonly why: string | null;
  readonly link: string;
  readonly projects: readonly ProjectRow[];
}

export function printServing({ url, level, why, link, projects }: ServingFacts, paint: Paint): string {
  const count = projects.length === 1 ? "1 project" : `${projects.length} projects`;
  const rows: (readonly [string, string])[] = [["Open", `${link} (works once, for two minutes)`]];
  if (why !== null) rows.push(["Read-only", `${why}; nobody can approve, answer or decide on this page`]);
  if (projects.length === 0) rows.push(["Empty", "start a workflow in a project: holdfast start <workflow>"]);
  rows.push(["Stop", level === "person" ? "Ctrl-C; Enter prints a new link" : "Ctrl-C"]);
  return `${paint.strong(`Holdfast serves ${count} at ${url}`)}\n${facts(rows, paint.edge)}`;
}
