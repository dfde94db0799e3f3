import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentVariable } from "../../hosts/contracts.ts";
import type { Person } from "../../model/command.ts";
import { Name } from "../../model/ids.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { hasCode, readTextIfExists, unreadable } from "../../platform/files.ts";
import { readInputFile } from "../../platform/read-input-file.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

const secretName = "secret";

/**
 * The person who acts, for what only a person may do: someone at a terminal that no agent drives, or a script with the
 * user's secret. An agent that runs as the same user could get around this; the journal records the claimed name.
 */
export async function personOf({ caller, user }: Deps, what: string): Promise<Outcome<string>> {
  if (caller.as !== undefined) {
    if (!Name.safeParse(caller.as.name).success) return no({ code: "person-needed", what, why: "--as names nobody" });
    return (await knowsSecret(user.configFolder, caller.as.secretFile, caller.signal))
      ? yes(caller.as.name)
      : no({ code: "person-needed", what, why: "the secret file does not contain this user's secret" });
  }
  const agent = agentVariable(caller.env);
  if (agent !== undefined)
    return no({ code: "person-needed", what, why: `this is an agent's shell (${agent} is set)`, inAgent: true });
  if (!caller.isTerminal) return no({ code: "person-needed", what, why: "this is not a terminal" });
  createSecret(user.configFolder);
  return yes(user.name);
}

/** The same for a decision that a person may also make in a dialog of the agent program. */
export async function deciderFor(deps: Deps, what: string): Promise<Outcome<Person>> {
  if (deps.caller.answersInDialog === true) return yes({ by: deps.user.name, via: "host-dialog" });
  const person = await personOf(deps, what);
  return person.ok ? yes({ by: person.value }) : person;
}

/** For what everyone except an agent may do: a script needs no terminal. */
export function refuseAgent({ caller }: Deps, what: string): No | null {
  const agent = agentVariable(caller.env);
  if (caller.as !== undefined || agent === undefined) return null;
  return no({ code: "person-needed", what, why: `this is an agent's shell (${agent} is set)`, inAgent: true });
}

const shortestSecret = 16;

/** Created when a person first acts, so that their scripts can act later. */
function createSecret(configFolder: string): void {
  try {
    mkdirSync(configFolder, { recursive: true, mode: 0o700 });
    writeFileSync(join(configFolder, secretName), `${randomBytes(24).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // It exists already or cannot be written: neither is a reason to stop a person.
    if (!hasCode(error, "EEXIST", "EROFS", "EACCES", "ENOSPC")) throw error;
  }
}

async function knowsSecret(configFolder: string, file: string, signal: AbortSignal | undefined): Promise<boolean> {
  const own = readTextIfExists(join(configFolder, secretName), sizeLimits.name)?.trim() ?? "";
  const given = (await readGiven(file, signal)).trim();
  const [ours, theirs] = [Buffer.from(own), Buffer.from(given)];
  return own.length >= shortestSecret && ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/** The file may be a pipe: `--secret-file <(pass show holdfast)`. */
async function readGiven(file: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return new TextDecoder().decode(await readInputFile(file, signal));
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return "";
    throw unreadable(file, cause);
  }
}
