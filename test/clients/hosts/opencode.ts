import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../../cli/program.ts";
import { until } from "../../mcp/serve.ts";
import { startChatModel } from "../chat-model.ts";
import { chatText } from "../chat-request.ts";
import { isOpencodeCompaction, openOpencode } from "../opencode.ts";
import { opencodeVersion } from "../programs.ts";
import type { Reply } from "../reply.ts";
import type { HostDriver } from "./driver.ts";

export const opencodeDriver: HostDriver = {
  host: "opencode",
  version: opencodeVersion,
  tool: (name) => `holdfast_${name}`,
  shell: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  async open(project, { folder = ".", resumes } = {}) {
    const planned: Reply[] = [];
    const model = await startChatModel((request) => {
      if (isOpencodeCompaction(request)) return { text: "We talked." };
      return request.tools.length === 0 ? { text: "A knot" } : (planned.shift() ?? { text: "Understood." });
    });
    const live = await openOpencode({
      project,
      model,
      folder,
      ...(resumes === undefined ? {} : { resumes: { session: resumes } }),
    });
    let seen = 0;
    return {
      async prompt(text) {
        const from = model.requests.length;
        await live.prompt(text);
        if (!isHeld(project, live.id)) return;
        // The reply comes before the plugin asks the agent to go on.
        const isSentBack = () => model.requests.slice(from).some((request) => chatText(request).includes(sentBack));
        await until("the agent is sent back", isSentBack);
        await until("the agent stops", () => live.isIdle());
      },
      plan: (...replies) => planned.push(...replies),
      id: () => live.id,
      asked() {
        const fresh = model.requests.slice(seen);
        seen = model.requests.length;
        return fresh.filter(({ tools }) => tools.length > 0).map(chatText);
      },
      compactions: () => model.requests.filter(isOpencodeCompaction).map(chatText),
      compact: live.compact,
      clear: () => Promise.reject(new Error("there is no clear")),
      close: live.close,
      kill: live.kill,
    };
  },
  lacks: { clear: "its `/new` opens another session beside the first, which is told about the run" },
};

const sentBack = "The workflow knot is not complete";

/** Whether the session works on the workflow that holds its agent. */
function isHeld(project: Project, session: string): boolean {
  const there = [".holdfast/workflows/knot.yaml", ".holdfast/runs"].every((path) =>
    existsSync(join(project.root, path)),
  );
  return there && project.journal().includes(session);
}
