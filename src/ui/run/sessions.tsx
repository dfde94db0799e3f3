import type { RunSessions, SessionRow } from "../../serve/contract/query-answers.ts";
import { ask } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading, ProblemNote } from "../parts/notes.tsx";
import { Ago } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { isAbout } from "./about.ts";

/** The conversations that have worked on the run, and where. */
export function SessionList({ project, run }: { readonly project: string; readonly run: string }) {
  const sessions = useLoaded("sessions", (signal) => ask<RunSessions>(project, "sessions", { run }, signal));
  useLive((message) => isAbout(message, project, run) && sessions.reload());
  const { value } = sessions.data;
  if (value === null) {
    return sessions.problem.value === null ? (
      <Loading what="sessions" />
    ) : (
      <ProblemNote problem={sessions.problem.value} />
    );
  }
  if (value.session_history.length === 0) {
    return (
      <Empty icon="machine" title="No session is known">
        <p>Agents tell which session they are when their hooks are set up: run `holdfast init`.</p>
      </Empty>
    );
  }
  return (
    <ul class="session-list">
      {value.session_history.toReversed().map((row) => (
        <Session key={row.session_id} row={row} />
      ))}
    </ul>
  );
}

function Session({ row }: { readonly row: SessionRow }) {
  const { environment } = row;
  const where = environment === null ? [] : [environment.hostname, environment.platform, environment.cwd];
  const git = environment === null ? [] : [environment.branch, environment.git_commit?.slice(0, 9)];
  const done = [
    plural(row.steps_advanced, "visit"),
    plural(row.compactions, "compaction"),
    row.phases_completed.length > 0 && `completed ${row.phases_completed.join(", ")}`,
  ];
  return (
    <li class="panel session">
      <header>
        <Icon name="machine" />
        <h3>
          <Words text={[row.host ?? "Unknown program", row.host_version].filter(Boolean).join(" ")} />
        </h3>
        <SessionState row={row} />
      </header>
      <p class="muted mono one-line">
        <Words text={row.session_id} />
      </p>
      {where.length > 0 && (
        <p>
          <Words text={where.filter(Boolean).join(" · ")} />
        </p>
      )}
      {git.some(Boolean) && (
        <p class="mono">
          <Words text={git.filter(Boolean).join(" @ ")} />
        </p>
      )}
      <p class="muted">
        <Words text={done.filter(Boolean).join(" · ")} /> · began <Ago time={row.started_at} /> ago
      </p>
    </li>
  );
}

function SessionState({ row }: { readonly row: SessionRow }) {
  if (row.ended_at !== null)
    return (
      <span class="mark">
        Ended{row.end_reason !== null && ": "}
        {row.end_reason !== null && <Words text={row.end_reason} />}
      </span>
    );
  if (row.alive === false) return <span class="mark mark-failed">Its process is gone</span>;
  return <span class="mark mark-done">{row.alive === true ? "Alive" : "Open"}</span>;
}
