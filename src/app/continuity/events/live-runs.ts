import type { StartedRun } from "../../../model/run.ts";
import { isLive, visitOfSession } from "../../../model/run-state.ts";
import { chooseRun } from "../ports/choose-for-hook.ts";
import { createHookPorts } from "../ports/hook-ports.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** At most this many runs are named. */
const most = 3;

/**
 * One line about the live runs of a folder, for the instructions of a server; empty if there are none. It may be all that
 * a session in a subfolder is told, but it stays in its context, so it says when it was true.
 */
export async function liveRunsText(folder: string, session: string): Promise<string> {
  const ports = await createHookPorts(folder);
  const chosen = await chooseRun(ports, session, ports.journal.outline);
  if (chosen === null) return "";
  const { claim, others } = chosen;
  const { run } = chosen.standing;
  const started = "When this server started,";
  if (claim === "bound" || others.length === 0) {
    const where = await placeOf(ports, run, session);
    return `${started} the run ${run.runId} was live here${where}. If this conversation is about it, call workflow_status with that run_id first.`;
  }
  const named = [run, ...others].slice(0, most).map(({ runId }) => runId);
  const more = others.length + 1 > most ? ", ..." : "";
  return `${started} ${others.length + 1} runs were live here: ${named.join(", ")}${more}. If this conversation is about one of them, call workflow_status with its run_id first.`;
}

async function placeOf(ports: ContinuityPorts, run: StartedRun, session: string): Promise<string> {
  if (!isLive(run)) return "";
  const { steps } = await ports.templateOf(run);
  const id = visitOfSession(run, session)?.place.step ?? run.last?.step;
  const place = steps.findIndex((step) => step.id === id);
  return place === -1 ? "" : `, at step ${place + 1}/${steps.length}${nameOf(steps[place]?.id)}`;
}

/** A name may be any text, and a clone may have brought it. Nobody but us speaks here, so only a single word is shown. */
function nameOf(step: string | undefined): string {
  return step !== undefined && /^[\w-]{1,40}$/.test(step) ? ` (${step})` : "";
}
