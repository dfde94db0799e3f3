import type { EventOf } from "../../model/event.ts";
import type { LiveRun, Question } from "../../model/run.ts";
import { carriedText } from "../carried-text.ts";
import { fingerprintOf } from "../fingerprint.ts";
import type { Changes } from "./changes.ts";

/** How many answers the agent keeps seeing; the journal has all of them. */
const keptAnswers = 8;

export function setCarry(run: LiveRun, event: EventOf<"carry-set">): Changes {
  const { text, from, to, commit, dirty } = event;
  return { carried: { ...run.carried, pivot: { text, from, to, commit, dirty } } };
}

export function endCarry(run: LiveRun, { slot }: EventOf<"carry-ended">): Changes {
  switch (slot) {
    case "pivot":
      return { carried: { ...run.carried, pivot: null } };
    case "answers":
      return { questions: run.questions.filter((each) => each.answer === null) };
  }
}

export function openQuestion(run: LiveRun, { id, token, step, question }: EventOf<"question-asked">): Changes {
  const asked: Question = {
    id,
    token,
    step,
    text: carriedText(question),
    answer: null,
    fingerprint: fingerprintOf(question),
  };
  return { asked: run.asked + 1, questions: [...withoutOpen(run, token), asked] };
}

export function answerQuestion(run: LiveRun, { id, answer, by }: EventOf<"question-answered">): Changes {
  const given = { text: carriedText(answer), by };
  const fingerprint = fingerprintOf(answer);
  const questions = run.questions.map((each) => (each.id === id ? { ...each, answer: given, fingerprint } : each));
  const answered = questions.filter((each) => each.answer !== null).slice(-keptAnswers);
  return { questions: questions.filter((each) => each.answer === null || answered.includes(each)) };
}

export function withdrawQuestion(run: LiveRun, { id }: EventOf<"question-withdrawn">): Changes {
  return { questions: run.questions.filter((each) => each.id !== id) };
}

/** Drops the open questions of a visit that has ended. */
export function withoutOpen({ questions }: LiveRun, token: string): readonly Question[] {
  const stays = (each: Question) => each.token !== token || each.answer !== null;
  return questions.every(stays) ? questions : questions.filter(stays);
}
