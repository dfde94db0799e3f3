import { joinWords, quote } from "../quote.ts";
import { readStatus, type Wording } from "./wording.ts";

/** The facts of refusals about questions and the todo list. */
export interface AskingFacts {
  "answer-needed": { readonly token: string; readonly question: string; readonly text: string };
  "question-not-open": { readonly question: string | null; readonly open: readonly string[] };
  "todo-invalid": { readonly problem: string };
  "todo-blocked": { readonly file: string; readonly problem: string };
}

export const askingRefusals: { readonly [C in keyof AskingFacts]: Wording<AskingFacts[C]> } = {
  "answer-needed": {
    when: "The visit is waiting for the answer to a question.",
    word: (d) => [
      `this visit is waiting for the answer to ${d.question}: ${quote(d.text)}`,
      {
        cli: 'ask the person, then pass on their answer with `holdfast answer "..."`; do not answer it yourself',
        mcp: "ask the person, then pass on their answer with answer_question; do not answer it yourself",
      },
    ],
  },
  "question-not-open": {
    when: "The question is no longer open, no question is open, or several are open and none was named.",
    word: (d) => [
      d.question === null
        ? whichQuestion(d.open)
        : `${quote(d.question)} is not open: it was answered, withdrawn or replaced, or its visit has ended`,
      d.open.length === 0
        ? readStatus
        : {
            cli: `name the question with --question ${joinWords(d.open, "or")}`,
            mcp: `send question_id ${joinWords(d.open, "or")}`,
          },
    ],
  },
  "todo-invalid": {
    when: "The text is not a valid todo list.",
    word: (d) => [
      `the todo list ${d.problem}`,
      "send the whole list: 1 to 50 lines such as - [ ] open, - [-] in progress, - [x] done",
    ],
  },
  "todo-blocked": {
    when: "The file of the todo list cannot be read or written.",
    word: (d) => [`${d.file} was left unchanged: ${d.problem}`, "fix that or move the file away, then try again"],
  },
};

function whichQuestion(open: readonly string[]): string {
  return open.length === 0 ? "no question is open" : "several questions are open";
}
