import type { HostName } from "../../src/hosts/contract/names.ts";
import { claudeCase } from "./claude/case.ts";
import { codexCase } from "./codex/case.ts";
import { copilotCase } from "./copilot/case.ts";
import type { HostCase } from "./host-case.ts";
import { opencodeCase } from "./opencode/case.ts";

export const hostCases: Readonly<Record<HostName, HostCase>> = {
  claude: claudeCase,
  codex: codexCase,
  copilot: copilotCase,
  opencode: opencodeCase,
};
