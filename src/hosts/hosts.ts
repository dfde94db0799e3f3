import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { claudeHost } from "./claude/host.ts";
import { codexHost } from "./codex/host.ts";
import type { Host } from "./contract/host.ts";
import { type HostName, hostNames } from "./contract/names.ts";
import { copilotHost } from "./copilot/host.ts";
import { opencodeHost } from "./opencode/host.ts";

export const hosts: Readonly<Record<HostName, Host>> = {
  claude: claudeHost,
  codex: codexHost,
  copilot: copilotHost,
  opencode: opencodeHost,
};

export interface Machine {
  readonly home: string;
  readonly path: string;
}

/** The hosts that seem to be in use: a program on the PATH, or a folder in the home or in the project. */
export function findHosts(project: string, { home, path }: Machine): HostName[] {
  const folders = path.split(delimiter).filter(isAbsolute);
  return hostNames.filter((name) => {
    const { program, folder, homeFolder = folder } = hosts[name];
    const programs = folders.flatMap((each) => ["", ".exe", ".cmd"].map((ending) => join(each, program + ending)));
    return [join(home, homeFolder), join(project, folder), ...programs].some((trace) => existsSync(trace));
  });
}
