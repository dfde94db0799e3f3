import type { Deps, No } from "../../operation/operation.ts";
import { agentBehind, personOf } from "./person.ts";
import { checkTrust, type Trustable, trust, trustQuestion } from "./trust.ts";

/** Only a person can trust: at the terminal's prompt, or with the `trust` option outside an agent's shell. */
export async function askForTrust(deps: Deps, trustable: Trustable, trustNow: boolean): Promise<No | null> {
  const untrusted = await checkTrust(deps, trustable);
  if (untrusted === null) return null;
  const agent = agentBehind(deps.caller);
  if (trustNow && agent !== undefined) {
    const person = await personOf(deps, "trusting a workflow");
    if (!person.ok) return person;
  }
  const agreed = trustNow || (agent === undefined && (await asks(deps, trustable)));
  if (!agreed) return untrusted;
  await trust(deps, trustable);
  return null;
}

async function asks(deps: Deps, trustable: Trustable): Promise<boolean> {
  const { confirm } = deps.caller;
  return confirm !== undefined && (await confirm(await trustQuestion(deps, trustable)));
}
