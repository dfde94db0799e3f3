import { type Deps, type No, no } from "../../operation/operation.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { refuseAgent } from "../workflows/person.ts";
import type { Remote } from "./remote.ts";
import type { RunCopy } from "./run-copy.ts";

/** Whether the caller has agreed already, and whether the runs were on the remote before. */
interface Confirming {
  readonly sure: boolean;
  readonly again: boolean;
}

/** Before runs leave this machine for the first time, a person sees what is sent and to whom. An agent cannot agree. */
export async function confirmPush(
  deps: Deps,
  remote: Remote,
  copies: readonly RunCopy[],
  { sure, again }: Confirming,
): Promise<No | null> {
  const agent = refuseAgent(deps, "the first push of a run");
  if (agent !== null) return agent;
  const ids = copies.map(({ run }) => run.runId).join(", ");
  const one = copies.length === 1;
  const leaves = again
    ? `${one ? "was" : "were"} on ${remote.name} before, ${one ? "is" : "are"} no longer there, and would be sent again`
    : `${one ? "leaves" : "leave"} this machine for the first time`;
  const what = `${one ? "the run" : `${copies.length} runs,`} ${ids}${one ? "" : ","} ${leaves}: ${describe(remote, copies)}`;
  if (sure || (await deps.caller.confirm?.(`${what}.\nSend ${one ? "it" : "them"}?`)) === true) return null;
  return no({ code: "confirmation-needed", what });
}

function describe({ name, address }: Remote, copies: readonly RunCopy[]): string {
  const sizes = copies.map(
    ({ commits, templates }) => plainJournal(commits).length + [...templates.values()].join("").length,
  );
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const events = copies.flatMap(({ commits }) => commits.flatMap((commit) => commit.events));
  const ended = events.flatMap((event) =>
    event.type === "visit-ended" && event.output !== "" ? [event.place.step] : [],
  );
  const steps = [...new Set(ended)];
  const outputs = steps.length === 0 ? "no outputs yet" : `the outputs of ${steps.join(", ")}`;
  const whose =
    copies.length === 1 ? "the output of its gates and its workflow" : "the output of their gates and their workflows";
  return (
    `${Math.ceil(size / 1_000)} kB, ` +
    `${events.length} events with ${outputs}, ${whose}, ` +
    `to everyone who can read ${name} (${address})`
  );
}
