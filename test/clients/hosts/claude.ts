import { join } from "node:path";
import { openClaude } from "../claude.ts";
import { claudeText, isCompaction } from "../claude-request.ts";
import { startPlannedModel } from "../continuity.ts";
import { claudeVersions } from "../programs.ts";
import type { HostDriver } from "./driver.ts";

export const claudeDrivers = Object.values(claudeVersions).map(claudeDriver);

function claudeDriver(version: string): HostDriver {
  return {
    host: "claude",
    version,
    tool: (name) => `mcp__holdfast__${name}`,
    shell: (command) => ({ name: "Bash", input: { command, description: "Run it" } }),
    async open(project, { folder = ".", resumes } = {}) {
      const model = await startPlannedModel();
      const live = await openClaude({
        project,
        model,
        version,
        folder,
        mcpConfig: join(project.root, ".mcp.json"),
        allowedTools: ["mcp__holdfast__*", "Bash"],
        words: ["--model", "claude-sonnet-4-5"],
        env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
        ...(resumes === undefined ? {} : { resumes: { session: resumes } }),
      });
      let id = "";
      const prompt = async (text: string) => {
        id = (await live.prompt(text)).session;
      };
      return {
        prompt,
        plan: model.plan,
        id: () => id,
        asked: () => model.asked().map(claudeText),
        compactions: () => model.requests.filter(isCompaction).map(claudeText),
        compact: () => prompt("/compact"),
        clear: () => prompt("/clear"),
        close: live.close,
        kill: live.kill,
      };
    },
    lacks: {},
  };
}
