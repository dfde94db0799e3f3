import { startChatModel } from "../chat-model.ts";
import { chatText, isChatCompaction } from "../chat-request.ts";
import { openCopilot } from "../copilot.ts";
import { copilotVersion } from "../programs.ts";
import type { Reply } from "../reply.ts";
import type { HostDriver } from "./driver.ts";

export const copilotDriver: HostDriver = {
  host: "copilot",
  version: copilotVersion,
  tool: (name) => `holdfast-${name}`,
  shell: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  async open(project, { folder = ".", resumes } = {}) {
    const planned: Reply[] = [];
    const model = await startChatModel((request) =>
      isChatCompaction(request) ? { text: "We talked." } : (planned.shift() ?? { text: "Understood." }),
    );
    const live = await openCopilot({
      project,
      model,
      folder,
      ...(resumes === undefined ? {} : { resumes: { session: resumes } }),
    });
    const prompt = async (text: string) => {
      await live.prompt(text);
    };
    let seen = 0;
    return {
      prompt,
      plan: (...replies) => planned.push(...replies),
      id: () => live.id,
      asked() {
        const fresh = model.requests.slice(seen);
        seen = model.requests.length;
        return fresh.filter((request) => !isChatCompaction(request)).map(chatText);
      },
      compactions: () => model.requests.filter(isChatCompaction).map(chatText),
      compact: () => prompt("/compact"),
      clear: () => prompt("/clear"),
      close: live.close,
      kill: live.kill,
    };
  },
  lacks: {
    clear: "`copilot --acp` has no command for it; in its terminal a clear keeps every fact",
    summary: "its hooks cannot add to the request",
  },
};
