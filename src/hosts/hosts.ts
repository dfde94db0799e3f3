import { claudeHost } from "./claude/host.ts";
import { codexHost } from "./codex/host.ts";
import type { HostName } from "./contract.ts";
import type { Host } from "./host.ts";

export const hosts: Readonly<Record<HostName, Host>> = { claude: claudeHost, codex: codexHost };
