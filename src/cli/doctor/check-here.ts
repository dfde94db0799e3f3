import { compose } from "../../app/compose.ts";
import { explainRestore, type Restorable } from "../../app/queries/explain-restore.ts";
import { storeStatus } from "../../app/shared/store-status.ts";
import { type Finding, mend, well } from "../../hosts/contract/finding.ts";
import { hostNames } from "../../hosts/contract/names.ts";
import { hostSession } from "../../hosts/contracts.ts";
import { answeringHooks, type DialogPlace } from "../../hosts/dialog/host-dialog.ts";
import { hosts } from "../../hosts/hosts.ts";
import { quote } from "../../model/quote.ts";
import type { Deps } from "../../operation/operation.ts";
import { type ParsedArguments, textOption } from "../command/command.ts";
import type { Io } from "../terminal/io.ts";

/** What a session that starts here would be restored to. */
export async function checkHere(parsed: ParsedArguments, io: Io): Promise<Finding[]> {
  const session = textOption(parsed, "session") ?? io.env.HOLDFAST_SESSION ?? hostSession(io.env);
  const deps = compose(io.cwd, {
    env: io.env,
    session,
    face: "cli",
    isTerminal: false,
    surroundings: () => io.surroundings(),
    as: undefined,
    confirm: undefined,
    progress: undefined,
    signal: io.signal,
  });
  const found = await explainRestore(deps);
  return [
    ...(found.settings === null ? [] : [mend("settings", found.settings, "fix it; until then the defaults apply")]),
    ...(await storeFindings(deps)),
    ...damagedFindings(found),
    ...runFindings(found),
    ...trackedFindings(found),
    ...dialogFindings({ home: deps.user.home, project: deps.roots.projectRoot }),
    ...[...found.passedOver, ...found.troubles].map((reason) => ({
      name: "passed over",
      status: "note" as const,
      message: reason,
    })),
  ];
}

/** Nothing for a project that keeps its runs in files. */
async function storeFindings(deps: Deps): Promise<Finding[]> {
  const status = await storeStatus(deps);
  if (status.store === "files") return [];
  const { where, project, problem, copies } = status;
  if (problem !== null) return [mend("store", problem.message, problem.next)];
  const behind = copies.unshared === 0 ? "" : `; ${copies.unshared} in files are not shared yet`;
  return [well("store", `runs are in the project ${quote(project ?? "")} of ${where}${behind}`)];
}

/** A repository may bring any number of runs along. */
const mostDamaged = 10;

function damagedFindings({ damaged }: Restorable): Finding[] {
  const named = damaged.slice(0, mostDamaged).map(({ problem, next }) => mend("run", problem, next));
  const more = damaged.length - named.length;
  return more === 0 ? named : [...named, mend("run", `${more} more runs are not used`, "list them: holdfast runs")];
}

function runFindings({ run, unreadable }: Restorable): Finding[] {
  if (unreadable !== null) return [mend("run", unreadable.problem, unreadable.next)];
  if (run === null) return [note("run", "no run is live, so none would be restored", "holdfast start <workflow>")];
  const { runId, workflow, why, others, isGuess } = run;
  const restored = `${runId} (${workflow}) would be restored: ${why}`;
  if (others.length === 0) return [well("run", restored)];
  const named = `${restored}; also live: ${others.join(", ")}`;
  if (!isGuess) return [well("run", named)];
  const unsure = `${named}; a command without --run is refused`;
  return [note("run", unsure, "call workflow_status with a run_id, or end the other run: holdfast abort --run <id>")];
}

function trackedFindings({ run, tracked }: Restorable): Finding[] {
  if (tracked === null) return [well("tracked", "no tracked workflow")];
  const { workflow, phase, why } = tracked;
  const behind = run === null ? "" : "; the run takes precedence";
  return [well("tracked", `${workflow}, ${phase}: ${why}${behind}`)];
}

/** Hooks that answer in the person's place; with them, nothing is asked in the host's dialog. */
function dialogFindings(place: DialogPlace): Finding[] {
  return hostNames.flatMap((name) =>
    answeringHooks(name, place, null).map((file) =>
      note(
        "dialog",
        `a hook in ${file} answers the dialogs of ${hosts[name].title}, so what is answered there does not count as yours`,
        "answer in a terminal: holdfast approve, holdfast answer, holdfast decide",
      ),
    ),
  );
}

function note(name: string, message: string, next: string): Finding {
  return { name, status: "note", message, next };
}
