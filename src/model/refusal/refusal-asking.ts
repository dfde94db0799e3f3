import { joinWords } from "../one-of.ts";
import { quote } from "../quote.ts";

/** What the refusals about questions and the todo list tell. */
export interface AskingFacts {
  "answer-needed": { readonly token: string; readonly question: string; readonly text: string };
  "question-not-open": { readonly question: string | null; readonly open: readonly string[] };
  "todo-invalid": { readonly problem: string };
  "todo-blocked": { readonly file: string; readonly problem: string };
}

interface Entry<Facts> {
  readonly when: string;
  word(facts: Facts): readonly [message: string, next: string];
}

export const askingRefusals: { readonly [C in keyof AskingFacts]: Entry<AskingFacts[C]> } = {
  "answer-needed": {
    when: "The visit waits for the answer to a question.",
    word: (d) => [
      `this visit waits for the answer to ${d.question}: ${quote(d.text)}`,
      "ask the person, and pass on what they say with answer_question (holdfast answer); do not answer it yourself",
    ],
  },
  "question-not-open": {
    when: "A question was answered or withdrawn that is not open any more, or none is.",
    word: (d) => [
      d.question === null
        ? whichQuestion(d.open)
        : `${quote(d.question)} is not open: it was answered or withdrawn, another took its place, or its visit is over`,
      d.open.length === 0 ? "read the status, and go on from there" : `answer ${joinWords(d.open, "or")} by its id`,
    ],
  },
  "todo-invalid": {
    when: "A text is no todo list.",
    word: (d) => [
      `the todo list ${d.problem}`,
      "send the whole list: 1 to 50 lines such as - [ ] open, - [-] under way, - [x] done",
    ],
  },
  "todo-blocked": {
    when: "The todo list cannot be read or written where it belongs.",
    word: (d) => [`${d.file} is left as it is: ${d.problem}`, "mend that, or move the file away; then try again"],
  },
};

function whichQuestion(open: readonly string[]): string {
  return open.length === 0 ? "no question is open" : "several questions are open";
}
