import type { TeamList } from "../../serve/contract/contract.ts";
import { projectName } from "../api/known.ts";
import { moment, plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";

/** What is missing among the runs of shared projects. */
export function TeamNotes({ teams }: { readonly teams: readonly TeamList[] }) {
  return (
    <>
      {teams.map((team) => (
        <TeamNote key={team.project} {...team} />
      ))}
    </>
  );
}

function TeamNote({ project, more, moreThan, asOf, problem, next }: TeamList) {
  if (problem === undefined) {
    if (more === 0) return null;
    return (
      <p class="team-note">
        <Words text={projectName(project)} />: {moreThan && "more than "}
        {plural(more, "older run")} not shown
      </p>
    );
  }
  return (
    <div class="note team-note" role="status">
      <Icon name="warning" />
      <div>
        <p class="note-title">
          <Words text={projectName(project)} />: these are the copies on this machine
          {asOf !== undefined && asOf !== null && `, as of ${moment(asOf)}`}
        </p>
        <p class="note-next">
          <Words text={problem} /> {next !== undefined && <Words text={next} />}
        </p>
      </div>
    </div>
  );
}
