import { type Deps, type No, no } from "../../operation/operation.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { refuseAgent } from "../workflows/person.ts";
import type { Remote } from "./remote.ts";
import type { RunCopy } from "./run-copy.ts";

/** How sure the caller is, and whether the run has been there before. */
interface Confirming {
  readonly sure: boolean;
  readonly again: boolean;
}

/** Before a run leaves this machine for the first time, a person sees what goes, and to whom. An agent cannot agree. */
export async function confirmPush(
  deps: Deps,
  remote: Remote,
  copy: RunCopy,
  { sure, again }: Confirming,
): Promise<No | null> {
  const agent = refuseAgent(deps, "the first push of a run");
  if (agent !== null) return agent;
  const leaves = again
    ? `was in ${remote.name} before, is not to be seen there now, and would be sent again`
    : "leaves this machine for the first time";
  const what = `the run ${copy.run.runId} ${leaves}: ${describe(remote, copy)}`;
  if (sure || (await deps.caller.confirm?.(`${what}.\nSend it?`)) === true) return null;
  return no({ code: "confirmation-needed", what });
}

function describe({ name, address }: Remote, { commits, templates }: RunCopy): string {
  const size = plainJournal(commits).length + [...templates.values()].join("").length;
  const events = commits.flatMap((commit) => commit.events);
  const ended = events.flatMap((event) =>
    event.type === "visit-ended" && event.output !== "" ? [event.place.step] : [],
  );
  const steps = [...new Set(ended)];
  const outputs = steps.length === 0 ? "no outputs yet" : `the outputs of ${steps.join(", ")}`;
  return (
    `${Math.ceil(size / 1_000)} kB, ` +
    `${events.length} events with ${outputs}, what its gates printed and its workflow, ` +
    `to everyone who can read ${name} (${address})`
  );
}
