import { shellWord } from "../../model/quote.ts";

/** How the reader of instructions does what they ask for. A program that reads them is told no commands and no tools. */
export interface AgentWords {
  /** Before the instructions of a step that names an agent; by default that agent is to be spawned. */
  delegate?(agent: string): string;
  /**
   * `outcomes` are the names to choose from; none if the step has no outcomes. `token` is that of a task that several agents
   * could mean, who may have no session.
   */
  advance(outcomes: readonly string[], token?: string): string;
  /** The same where another agent does the work: it is not the one to advance. */
  advanceAfterAgent(outcomes: readonly string[], token?: string): string;
  /** After an approval: with the output that was approved, which an agent may have forgotten since, and the outcome. */
  advanceNow(outcomes: readonly string[]): string;
  readonly advanceAgain: string;
  /** How a step that Holdfast carries out itself is carried out, and its result is got. */
  readonly carryOut?: string;
  setTasks(loop: string): string;
  readonly passAnswerOn: string;
  /** In a loop that several agents work on. */
  readonly claimTask: string;
  readonly goOnWithTask: string;
  /** When one of several tasks has ended, perhaps a subagent's. */
  readonly afterTask: string;
  readonly askLater: string;
}

const afterAgent = "When it has finished,";
/** Most steps say what their output is. */
const anyOutput = "what is asked for above, or a short summary";
const sameOutput = "the same output (or a summary of it)";

function andOutcome(outcomes: readonly string[]): string {
  if (outcomes.length === 0) return "";
  if (outcomes.length === 1) return ` and the outcome ${outcomes[0]}`;
  return ` and one of the outcomes ${outcomes.join(", ")}`;
}

function advanceCommand(output: string, outcomes: readonly string[], token: string | undefined): string {
  const outcome = outcomes.length === 0 ? "" : ` --outcome <${outcomes.join("|")}>`;
  const named = token === undefined ? "" : ` --token ${shellWord(token)}`;
  return `run \`holdfast advance${named} --output <${output}>${outcome}\``;
}

function lastLine(json: string): string {
  return `Its last line must be one line of JSON: ${json}.`;
}

export const agentWords = {
  plain: {
    advance: (outcomes) => `When this is done, advance with your output (${anyOutput})${andOutcome(outcomes)}.`,
    advanceAfterAgent: (outcomes) => `${afterAgent} advance with its result as the output${andOutcome(outcomes)}.`,
    advanceNow: (outcomes) => `advance now, with ${sameOutput}${andOutcome(outcomes)}`,
    advanceAgain: "advance again",
    setTasks: (loop) => `Set the tasks of the loop "${loop}" (each with an id and a title)`,
    passAnswerOn: "pass on their answer",
    claimTask: "Claim one of them.",
    goOnWithTask: "Name the one that you mean.",
    afterTask: "If another agent gave it to you, report to it and stop. Otherwise go on with your other tasks.",
    askLater: "Ask again later, or stop here.",
  },
  mcp: {
    advance: (outcomes) =>
      `When this is done, call workflow_advance with your output (${anyOutput})${andOutcome(outcomes)}.`,
    advanceAfterAgent: (outcomes) =>
      `${afterAgent} call workflow_advance yourself, with its result as the output${andOutcome(outcomes)}.`,
    advanceNow: (outcomes) => `call workflow_advance now, with ${sameOutput}${andOutcome(outcomes)}`,
    advanceAgain: "call workflow_advance again",
    carryOut: "Call workflow_status: it does this, or waits for it, and returns what follows.",
    setTasks: (loop) => `Set the tasks of the loop "${loop}" with workflow_set_tasks (each with an id and a title)`,
    passAnswerOn: "pass on their answer with answer_question",
    claimTask: "Call workflow_status to get the first, or with its id as task.",
    goOnWithTask: "Call workflow_status with the id of one as task, and send its token with workflow_advance.",
    afterTask:
      "If another agent gave it to you, report to it and stop. Otherwise call workflow_status with the id of your next task.",
    askLater: "Call workflow_status again in a while, or stop here.",
  },
  /** For a program that Holdfast drives: what it prints is its answer. */
  printed: {
    advance: (outcomes) =>
      outcomes.length === 0
        ? `When this is done, answer with your result (${anyOutput}).`
        : `When this is done, answer with your result (${anyOutput}). ${lastLine(`{"outcome": "${outcomes.join("|")}"}`)}`,
    advanceAfterAgent: (outcomes) =>
      `${afterAgent} answer with its result.${outcomes.length === 0 ? "" : ` ${lastLine(`{"outcome": "${outcomes.join("|")}"}`)}`}`,
    advanceNow: () => "answer once more with the same result",
    advanceAgain: "answer again",
    setTasks: (loop) =>
      `Answer with the tasks of the loop "${loop}". ${lastLine('{"tasks": [{"id": "t1", "title": "..."}]}').replace(/\.$/, "")}`,
    passAnswerOn: "wait for their answer",
    claimTask: "Wait until you get one.",
    goOnWithTask: "Wait until you get one.",
    afterTask: "Stop here.",
    askLater: "Stop here.",
  },
  /** For our own agent, which ends a visit with a tool of its own and spawns no others. */
  called: {
    delegate: (agent) => `For this step you are the agent "${agent}".`,
    advance: (outcomes) => `When this is done, call done with your output (${anyOutput})${andOutcome(outcomes)}.`,
    advanceAfterAgent: (outcomes) =>
      `When this is done, call done with your output (${anyOutput})${andOutcome(outcomes)}.`,
    advanceNow: (outcomes) => `call done now, with ${sameOutput}${andOutcome(outcomes)}`,
    advanceAgain: "call done again",
    setTasks: (loop) => `Call done with the tasks of the loop "${loop}" (each with an id and a title)`,
    passAnswerOn: "wait for their answer",
    claimTask: "Wait until you get one.",
    goOnWithTask: "Wait until you get one.",
    afterTask: "Stop here.",
    askLater: "Stop here.",
  },
  cli: {
    advance: (outcomes, token) => `When this is done, ${advanceCommand(anyOutput, outcomes, token)}.`,
    advanceAfterAgent: (outcomes, token) => `${afterAgent} ${advanceCommand("its result", outcomes, token)} yourself.`,
    advanceNow: (outcomes) => `run \`holdfast advance\` now, with ${sameOutput}${andOutcome(outcomes)}`,
    advanceAgain: "run `holdfast advance` again",
    carryOut: "Run `holdfast next`: it does this, or waits for it, and prints what follows.",
    setTasks: (loop) =>
      `Set the tasks of the loop "${loop}" with \`holdfast tasks ${loop}\` (one title a line on standard input, or --file; [] is an empty list)`,
    passAnswerOn: "pass on their answer with `holdfast answer`",
    claimTask: "Run `holdfast next` to get the first, or `holdfast next --task <id>`.",
    goOnWithTask: "Run `holdfast next --task <id>` for one of them, and advance with its --token.",
    afterTask:
      "If another agent gave it to you, report to it and stop. Otherwise run `holdfast next --task <id>` for your next task.",
    askLater: "Run `holdfast next` again in a while, or stop here.",
  },
} as const satisfies Record<string, AgentWords>;
