import { askQuestion } from "../app/commands/ask-question.ts";
import { updateTodo } from "../app/commands/update-todo.ts";
import { withoutSecrets } from "../app/privacy/portable-text.ts";
import { wordRefusal } from "../model/refusal/refusal.ts";
import type { Deps } from "../operation/operation.ts";
import type { RunActions } from "./agents/agent.ts";

/** What an agent without our MCP server can do to its run, with the same operations as the others. */
export function createRunActions(deps: Deps, run: string): RunActions {
  const driven = { ...deps, caller: { ...deps.caller, isDriven: true } };
  return {
    async ask(question) {
      const asked = await askQuestion.run(driven, { run, question });
      return asked.ok ? null : wordRefusal(asked.refusal, "mcp").message;
    },
    async answerTo(question) {
      const standing = await deps.journal.load(run);
      const answered = standing?.run.questions.findLast(({ text, answer }) => text === question && answer !== null);
      return answered?.answer?.text ?? null;
    },
    async updateTodo(content) {
      const updated = await updateTodo.run(driven, { run, content });
      if (!updated.ok) return { text: wordRefusal(updated.refusal, "mcp").message, isError: true };
      const { runId: _, ...list } = updated.value;
      return { text: JSON.stringify(list) };
    },
    mask: (text) => withoutSecrets(deps.caller.env, text),
  };
}
