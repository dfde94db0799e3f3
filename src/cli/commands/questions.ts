import type { TodoReply } from "../../app/commands/update-todo.ts";
import { defineCommand, type OptionSpec, runOption, textOption } from "../command/command.ts";
import { printAnswered, printReply, printWhere } from "../print/print-status.ts";
import type { Paint } from "../terminal/paint.ts";
import { readText } from "../terminal/read-text.ts";

const question: OptionSpec = {
  type: "string",
  value: "ID",
  about: "which question, if several are open",
};

export const ask = defineCommand({
  name: "ask",
  area: "For the agent",
  operation: "ask",
  positionals: ["<question>"],
  options: {},
  about: "Ask a person for a decision. The visit waits for the answer.",
  examples: ['holdfast ask "Which database should we use?"'],
  input: async (parsed) => ({ run: runOption(parsed), question: parsed.positionals[0] }),
  print: printReply,
});

export const todo = defineCommand({
  name: "todo",
  area: "For the agent",
  operation: "todo",
  positionals: ["[file]"],
  options: {},
  about: "Show the todo list of a run, or replace it with the content of a file; - for standard input.",
  examples: ["holdfast todo", "holdfast todo - < list.md"],
  async input(parsed, io) {
    const [file] = parsed.positionals;
    return { run: runOption(parsed), content: file === undefined ? undefined : await readText(io, file) };
  },
  print: printTodo,
});

export const answer = defineCommand({
  name: "answer",
  area: "For people",
  operation: "answer",
  positionals: ["<answer>"],
  options: { question },
  about: "Answer the question that a run is waiting on.",
  examples: ['holdfast answer "PostgreSQL, as everywhere else"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    answer: parsed.positionals[0],
    question: textOption(parsed, "question"),
  }),
  print: printAnswered,
});

export const withdraw = defineCommand({
  name: "withdraw",
  area: "For people",
  operation: "withdraw",
  positionals: [],
  options: { question },
  about: "Withdraw an open question. The run continues without an answer.",
  examples: ["holdfast withdraw"],
  input: async (parsed) => ({ run: runOption(parsed), question: textOption(parsed, "question") }),
  print: printWhere,
});

function printTodo(reply: TodoReply, paint: Paint): string {
  const { file, items, done, current, list, edited, note, previous } = reply;
  if (file === undefined) return "The run has no todo list.\n";
  const now = current == null ? "" : `; now: ${current}`;
  const state = edited === true ? "; edited by hand since" : "";
  const head = `${file}  ${done} of ${items} done${now}${state}`;
  const said = note === undefined ? "" : `\n${paint.dim(note)}\n`;
  const before = previous === undefined ? "" : `\n${paint.strong("Previous")}\n\n${previous}\n`;
  return `${paint.strong(head)}\n\n${list}\n${said}${before}`;
}
