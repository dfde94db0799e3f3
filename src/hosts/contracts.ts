import { claudeContract } from "./claude/contract.ts";
import { codexContract } from "./codex/contract.ts";
import type { HostContract } from "./contract/contract.ts";
import { type HostName, hostNames } from "./contract/names.ts";
import { copilotContract } from "./copilot/contract.ts";
import { opencodeContract } from "./opencode/contract.ts";

export const contracts: Readonly<Record<HostName, HostContract>> = {
  claude: claudeContract,
  codex: codexContract,
  copilot: copilotContract,
  opencode: opencodeContract,
};

/** The host that sent an event to a hook that was set up for `named`: another one may read its settings. */
export function senderOf(named: HostName, fields: Readonly<Record<string, unknown>>): HostName {
  const isSender = ({ runsHooksOf: other }: HostContract) => other?.host === named && other.isSender(fields);
  return hostNames.find((name) => isSender(contracts[name])) ?? named;
}

/** What a host tells its hooks about the project: as variables, and as placeholders in the lines that start them. */
export function projectVariables(host: HostName, project: string): Readonly<Record<string, string>> {
  const { projectVariable } = contracts[host];
  return projectVariable === undefined ? {} : { [projectVariable]: project };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The id of the session in which this process runs; undefined where its host does not tell. */
export function hostSession(env: Environment): string | undefined {
  for (const { sessionVariable } of Object.values(contracts)) {
    const session = sessionVariable === null ? undefined : env[sessionVariable];
    if (session) return session;
  }
  return undefined;
}

/** The host's version, as its hooks are told; undefined where it does not tell. */
export function hostVersion(host: HostName, env: Environment): string | undefined {
  const { versionIn } = contracts[host];
  return versionIn?.pattern.exec(env[versionIn.variable] ?? "")?.[1]?.replaceAll("-", ".");
}

/** Whether a session that its host has ended for this reason is over. */
export function isFinalEnd(host: string, reason: string): boolean {
  const known: Readonly<Record<string, HostContract | undefined>> = contracts;
  return known[host]?.finalEnds.includes(reason) === true;
}
