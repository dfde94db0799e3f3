import { askQuestion } from "../app/commands/ask-question.ts";
import { updateTodo } from "../app/commands/update-todo.ts";
import { machineOf, portableValue, withoutSecrets } from "../app/privacy/portable-text.ts";
import { wordRefusal } from "../model/refusal/refusal.ts";
import type { Deps } from "../operation/operation.ts";
import type { RunActions } from "./agents/agent.ts";

/** What an agent without our MCP server can do to its run, with the same operations as the others. */
export function createRunActions(deps: Deps, run: string, projectRoot: string): RunActions {
  const recorded = (text: string) => portableValue(machineOf(deps), projectRoot, text);
  const driven = { ...deps, caller: { ...deps.caller, isDriven: true } };
  return {
    async ask(question) {
      const asked = await askQuestion.run(driven, { run, question });
      return asked.ok ? null : wordRefusal(asked.refusal, "mcp").message;
    },
    async answerTo(question) {
      const standing = await deps.journal.load(run);
      const asked = recorded(question);
      return standing?.run.questions.findLast(({ text }) => text === asked)?.answer?.text ?? null;
    },
    async updateTodo(content) {
      const updated = await updateTodo.run(driven, { run, content });
      if (!updated.ok) return { text: wordRefusal(updated.refusal, "mcp").message, isError: true };
      const { runId: _, ...list } = updated.value;
      return { text: JSON.stringify(list) };
    },
    recorded,
    mask: (text) => withoutSecrets(deps.caller.env, text),
  };
}
