import { runCodex } from "../codex.ts";
import { startCodexModel } from "../codex-model.ts";
import { codexText } from "../codex-request.ts";
import { codexVersion } from "../programs.ts";
import type { Reply } from "../reply.ts";
import type { HostDriver } from "./driver.ts";

/** `codex exec` is a process for each prompt, which resumes what the one before it has left. */
export const codexDriver: HostDriver = {
  host: "codex",
  version: codexVersion,
  tool: (name) => `mcp__holdfast__${name}`,
  shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
  async open(project, { folder = ".", resumes } = {}) {
    const planned: Reply[] = [];
    const isSummary = (text: string) => text.includes("CONTEXT CHECKPOINT COMPACTION");
    const model = await startCodexModel((request) =>
      isSummary(codexText(request)) ? { text: "We talked." } : (planned.shift() ?? { text: "Understood." }),
    );
    let id = resumes;
    let seen = 0;
    const texts = () => model.requests.map(codexText);
    const nothing = async () => {};
    return {
      async prompt(text) {
        const words = ["--dangerously-bypass-hook-trust", "-c", "model_auto_compact_token_limit=100000"];
        const { events } = await runCodex(text, {
          project,
          model,
          folder,
          words: id === undefined ? words : ["resume", id, ...words],
        });
        const started = events.find(({ type }) => type === "thread.started");
        if (typeof started?.thread_id === "string") id = started.thread_id;
      },
      plan: (...replies) => planned.push(...replies),
      id: () => id ?? "",
      asked() {
        const fresh = texts().slice(seen);
        seen = model.requests.length;
        return fresh.filter((text) => !isSummary(text));
      },
      compactions: () => texts().filter(isSummary),
      compact: nothing,
      clear: nothing,
      close: nothing,
      kill: nothing,
    };
  },
  lacks: {
    compact: "`codex exec` has no command for it",
    clear: "`codex exec` has no command for it",
    summary: "its hooks cannot add to the request",
    kill: "each prompt of `codex exec` is a process of its own",
  },
};
