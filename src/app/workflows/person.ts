import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentAmong, agentVariable } from "../../hosts/agents.ts";
import type { Actor } from "../../model/command.ts";
import { Name } from "../../model/ids.ts";
import { quote } from "../../model/quote.ts";
import { type Caller, type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { hasCode, readTextIfExists, unreadable } from "../../platform/files.ts";
import { readInputFile } from "../../platform/read-input-file.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

const secretName = "secret";

/**
 * The person who acts, for what only a person may do: someone at a terminal that no agent drives, someone on the page of a
 * server that was started there, or a script with the user's secret. An agent that runs as the same user could get around this; the journal records the claimed name, the
 * terminal and the programs above.
 */
export async function personOf({ caller, user }: Deps, what: string): Promise<Outcome<Actor>> {
  if (caller.person !== undefined) return yes(caller.person);
  if (caller.as !== undefined) {
    if (!Name.safeParse(caller.as.name).success) return no({ code: "person-needed", what, why: "--as names nobody" });
    return (await knowsSecret(user.configFolder, caller.as.secretFile, caller.signal))
      ? yes(actorNamed(caller.as.name, caller))
      : no({ code: "person-needed", what, why: "the secret file does not contain this user's secret" });
  }
  const agent = agentBehind(caller);
  if (agent !== undefined) return no({ code: "person-needed", what, why: agent, inAgent: true });
  if (!caller.isTerminal) return no({ code: "person-needed", what, why: "this is not a terminal" });
  createSecret(user.configFolder);
  return yes(actorNamed(user.name, caller));
}

/** How an agent drives this call, in words; undefined if none does. */
export function agentBehind(caller: Pick<Caller, "env" | "surroundings" | "person">): string | undefined {
  const { env, surroundings, person } = caller;
  if (person !== undefined) return undefined;
  const own = agentVariable(env);
  if (own !== undefined) return `this is an agent's shell (${own} is set)`;
  const found = agentAmong(surroundings().ancestors);
  if (found === undefined) return undefined;
  const { ancestor, variable } = found;
  const which = `${quote(ancestor.name)} (process ${ancestor.pid}${variable === undefined ? "" : `, with ${variable} set`})`;
  return `an agent has started this: ${which} is above it`;
}

/** The nearest programs say most, and a journal is no place for hundreds. */
const mostPrograms = 20;

/** Somebody with the place where they act, as far as the system tells. */
function actorNamed(by: string, caller: Pick<Caller, "surroundings">): Actor {
  const { terminal, ancestors } = caller.surroundings();
  const programs = ancestors.slice(0, mostPrograms).map(({ name }) => name);
  return terminal === null && programs.length === 0 ? { by } : { by, seat: { terminal, programs } };
}

/** Whoever calls, where it is known that no agent does. */
export function actorIn({ caller, user }: Deps): Actor {
  return caller.person ?? actorNamed(user.name, caller);
}

/** The same as `personOf`, for a decision that a person may also make in a dialog of the agent program. */
export async function deciderFor(deps: Deps, what: string): Promise<Outcome<Actor>> {
  if (deps.caller.answersInDialog === true) return yes({ by: deps.user.name, via: "host-dialog" });
  return personOf(deps, what);
}

/** For what everyone except an agent may do: a script needs no terminal. */
export function refuseAgent({ caller }: Deps, what: string): No | null {
  const agent = caller.as === undefined ? agentBehind(caller) : undefined;
  return agent === undefined ? null : no({ code: "person-needed", what, why: agent, inAgent: true });
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
