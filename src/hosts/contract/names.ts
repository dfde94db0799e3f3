/**
 * The agent programs that can be set up. A new one is a folder in `src/hosts` with its `contract.ts` and its `host.ts`, a
 * name here, and a line in each of the tables `contracts.ts` and `hosts.ts`. Its tests are data in `test/hosts`.
 */
export const hostNames = ["claude", "codex", "copilot", "opencode"] as const;
export type HostName = (typeof hostNames)[number];

/** The host of a hook that names none. */
export const defaultHost: HostName = "claude";
