import { type Deps, type No, no } from "../../operation/operation.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { refuseAgent } from "../workflows/person.ts";
import type { Remote } from "./remote.ts";
import type { RunCopy } from "./run-copy.ts";

/** Whether the caller has agreed already, and whether the run was on the remote before. */
interface Confirming {
  readonly sure: boolean;
  readonly again: boolean;
}

/** Before a run leaves this machine for the first time, a person sees what is sent and to whom. An agent cannot agree. */
export async function confirmPush(
  deps: Deps,
  remote: Remote,
  copy: RunCopy,
  { sure, again }: Confirming,
): Promise<No | null> {
  const agent = refuseAgent(deps, "the first push of a run");
  if (agent !== null) return agent;
  const leaves = again
    ? `was on ${remote.name} before, is no longer there, and would be sent again`
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
    `${events.length} events with ${outputs}, the output of its gates and its workflow, ` +
    `to everyone who can read ${name} (${address})`
  );
}
