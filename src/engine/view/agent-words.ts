/** How the reader of instructions does what they ask for. A program that reads them is told no commands and no tools. */
export interface AgentWords {
  /** `choice` names the outcomes, where the step has some. */
  advance(choice: string): string;
  /** After an approval: with the summary that was approved. */
  advanceNow(choice: string): string;
  readonly advanceAgain: string;
  setTasks(loop: string): string;
  readonly passAnswerOn: string;
}

export const agentWords = {
  plain: {
    advance: (choice) => `When this is done, advance with a short summary${choice}.`,
    advanceNow: (choice) => `advance now, with the same summary${choice}`,
    advanceAgain: "advance again",
    setTasks: (loop) => `Set the tasks of the loop "${loop}" (each with an id and a title)`,
    passAnswerOn: "pass on their answer",
  },
  mcp: {
    advance: (choice) => `When this is done, call workflow_advance with a short summary${choice}.`,
    advanceNow: (choice) => `call workflow_advance now, with the same summary${choice}`,
    advanceAgain: "call workflow_advance again",
    setTasks: (loop) => `Set the tasks of the loop "${loop}" with workflow_set_tasks (each with an id and a title)`,
    passAnswerOn: "pass on their answer with answer_question",
  },
  cli: {
    advance: (choice) =>
      choice === ""
        ? "When this is done, run `holdfast advance --output <a short summary>`."
        : `When this is done, run \`holdfast advance --output <a short summary> --outcome <name>\`${choice}.`,
    advanceNow: (choice) => `run \`holdfast advance\` now, with the same summary${choice}`,
    advanceAgain: "run `holdfast advance` again",
    setTasks: (loop) =>
      `Set the tasks of the loop "${loop}" with \`holdfast tasks ${loop}\` (one title a line on standard input, or --file)`,
    passAnswerOn: "pass on their answer with `holdfast answer`",
  },
} as const satisfies Record<string, AgentWords>;
