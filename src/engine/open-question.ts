import type { Question } from "../model/carry.ts";
import type { LiveRun } from "../model/run.ts";

/** What a visit waits for an answer to. */
export function openQuestion({ questions }: Pick<LiveRun, "questions">, token: string): Question | null {
  return questions.find((each) => each.token === token && each.answer === null) ?? null;
}
