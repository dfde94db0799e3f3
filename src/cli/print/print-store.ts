import type { ConfirmedProject, InitializedStore } from "../../app/shared/store-setup.ts";
import type { StoreStatus } from "../../app/shared/store-status.ts";
import type { Migrated } from "../../app/transfer/migrate-runs.ts";
import { beside, facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime, plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

export function printInitializedStore({ where, before, version }: InitializedStore, paint: Paint): string {
  const done =
    before === 0
      ? `${paint.good("created")} the tables`
      : before < version
        ? `${paint.good("migrated")} the tables from version ${before}`
        : "the tables exist";
  return `${done} in ${where}, version ${version}\n`;
}

export function printConfirmedProject({ project, where }: ConfirmedProject, paint: Paint): string {
  const place = where === null ? "your database" : where;
  return `${paint.good("confirmed")} the runs of this clone are in the project ${paint.strong(project)} of ${place}\n`;
}

export function printStoreStatus(status: StoreStatus, paint: Paint): string {
  const { store, project, confirmed, named, where, problem } = status;
  if (store === "files") return `runs are in files: ${plural(status.runs?.count ?? 0, "run")} in .holdfast/runs\n`;
  const rows: (readonly [string, string])[] = [
    ["Database", where ?? (named ? "its address cannot be understood" : "none is named")],
    ["Project", `${project ?? "unknown"}${confirmed === false ? " (not confirmed here)" : ""}`],
    ...answerRows(status),
    ["Copies here", copiesLine(status.copies)],
    ...(problem === null ? [] : [["Problem", problem.message] as const, ["Next", problem.next] as const]),
  ];
  const head = problem === null ? paint.good("connected") : paint.bad("not available");
  return `${head}\n${facts(rows, paint.edge)}`;
}

function answerRows({ reachable, reachedAt, schema, changes, runs }: StoreStatus): (readonly [string, string])[] {
  const last = reachedAt === null ? "" : `; it last answered ${localTime(reachedAt, "minutes")}`;
  return [
    ...(reachable === false ? [["Reachable", `no${last}`] as const] : []),
    ...(schema?.found == null ? [] : [["Tables", tablesLine(schema.found, schema.needed)] as const]),
    ...(changes === null ? [] : [["Changes", changeWords[changes]] as const]),
    ...(runs === null ? [] : [["Runs", `${runs.atLeast ? "at least " : ""}${runs.count}`] as const]),
  ];
}

const changeWords = {
  listen: "the database tells of them (LISTEN)",
  poll: "polled every second: no notice of the database arrives, as behind a pooler that shares connections, or on a standby",
};

function tablesLine(found: number, needed: number): string {
  if (found === needed) return `version ${found}`;
  return found === 0 ? "none yet" : `version ${found}, and this program needs ${needed}`;
}

function copiesLine({ here, behind, ahead, removed, unshared, queuedNotices }: StoreStatus["copies"]): string {
  return [
    String(here),
    ...(behind.length === 0 ? [] : [`${behind.length} behind the database`]),
    ...(ahead.length === 0 ? [] : [`${ahead.length} ahead of the database: ${ahead.slice(0, 3).join(", ")}`]),
    ...(removed.length === 0 ? [] : [`${removed.length} of removed runs: ${removed.slice(0, 3).join(", ")}`]),
    ...(unshared === 0 ? [] : [`${plural(unshared, "run")} in files, not shared yet`]),
    ...(queuedNotices === 0 ? [] : [`${plural(queuedNotices, "notice")} of hooks to record`]),
  ].join("; ");
}

/** The refused ones are listed one by one, up to here. */
const mostRefused = 20;

export function printMigrated({ to, project, where, runs, left, kept }: Migrated, paint: Paint): string {
  const count = (result: string) => runs.filter((row) => row.result === result).length;
  const refused = runs.filter((row) => row.result === "refused");
  const lines = refused
    .slice(0, mostRefused)
    .map(
      ({ runId, problem = "", next = "" }) =>
        beside(`${runId}  ${paint.bad("not moved")}  `, problem, paint.edge) + beside("  Next   ", next, paint.edge),
    );
  const counts = [
    `${plural(count("moved"), "run")} moved to ${to === "files" ? "files" : `the project ${project} in ${where}`}`,
    ...(count("same") === 0 ? [] : [`${count("same")} there already`]),
    ...(refused.length === 0 ? [] : [`${refused.length} not moved`]),
    ...(left === 0 ? [] : [`${left} left: repeat the command to go on`]),
  ];
  const still = kept && runs.length > 0 ? "; the database still has them" : "";
  const isWhole = refused.length === 0 && left === 0;
  const next =
    to === "files" && isWhole
      ? beside("  Next   ", `remove "store: postgres" from .holdfast/config.yaml${still}`, paint.edge)
      : "";
  return `${lines.join("")}${wrapText(counts.join(", "), paint.edge)}\n${next}`;
}
