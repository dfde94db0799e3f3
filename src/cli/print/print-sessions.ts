import type { SessionsReply } from "../../app/queries/read-sessions.ts";
import { table } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime, plural } from "../terminal/wording.ts";

type SessionRow = SessionsReply["session_history"][number];

export function printSessions({ session_history: history }: SessionsReply, paint: Paint): string {
  if (history.length === 0) return "no session has worked on this run\n";
  const rows = history.map((row) => [
    row.session_id.slice(0, 12),
    [row.host ?? "?", row.host_version].filter((part) => part !== null).join(" "),
    placeOf(row),
    localTime(row.started_at, "minutes"),
    endOf(row, paint),
    `${plural(row.steps_advanced, "visit")}, ${plural(row.compactions, "compaction")}`,
  ]);
  const live = history.filter(({ alive }) => alive === true);
  const warning =
    live.length > 1 ? `${paint.bad(`${live.length} sessions are working on this run at the same time.`)}\n` : "";
  return `${table(rows, { edge: paint.edge })}${warning}`;
}

function placeOf({ environment }: SessionRow): string {
  if (environment === null) return "-";
  const { hostname, platform, branch, commit } = environment;
  const at = [branch, commit?.slice(0, 8)].filter((part) => part != null).join("@");
  return [hostname ?? platform, at].filter((part) => part !== "").join(" ");
}

function endOf({ ended_at, end_reason, alive }: SessionRow, paint: Paint): string {
  if (ended_at !== null) return `${localTime(ended_at, "minutes")} (${end_reason ?? ""})`;
  if (alive === null) return paint.dim("end unknown");
  return alive ? paint.good("open") : paint.dim("ended without notice");
}
