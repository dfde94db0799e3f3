import { claudeHost } from "./claude/host.ts";
import { codexHost } from "./codex/host.ts";
import type { HostName } from "./contract/contract.ts";
import type { Host } from "./contract/host.ts";

export const hosts: Readonly<Record<HostName, Host>> = { claude: claudeHost, codex: codexHost };
