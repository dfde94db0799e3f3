import type { Question } from "../model/carry.ts";
import type { EventOf } from "../model/event.ts";
import type { LiveRun } from "../model/run.ts";
import { carriedText } from "./carried-text.ts";

/** How many answers are kept before the agent; the journal has them all. */
const keptAnswers = 8;

export function setCarry(run: LiveRun, event: EventOf<"carry-set">): LiveRun {
  const { text, from, to, commit, dirty } = event;
  return { ...run, carried: { ...run.carried, pivot: { text, from, to, commit, dirty } } };
}

export function endCarry(run: LiveRun, { slot }: EventOf<"carry-ended">): LiveRun {
  switch (slot) {
    case "pivot":
      return { ...run, carried: { ...run.carried, pivot: null } };
    case "answers":
      return { ...run, questions: run.questions.filter((each) => each.answer === null) };
  }
}

export function openQuestion(run: LiveRun, { id, token, step, question }: EventOf<"question-asked">): LiveRun {
  const asked: Question = { id, token, step, text: carriedText(question), answer: null };
  return { ...run, asked: run.asked + 1, questions: [...dropOpen(run, token).questions, asked] };
}

export function answerQuestion(run: LiveRun, { id, answer, by }: EventOf<"question-answered">): LiveRun {
  const given = { text: carriedText(answer), by };
  const questions = run.questions.map((each) => (each.id === id ? { ...each, answer: given } : each));
  const answered = questions.filter((each) => each.answer !== null).slice(-keptAnswers);
  return { ...run, questions: questions.filter((each) => each.answer === null || answered.includes(each)) };
}

export function withdrawQuestion(run: LiveRun, { id }: EventOf<"question-withdrawn">): LiveRun {
  return { ...run, questions: run.questions.filter((each) => each.id !== id) };
}

/** A visit that is over waits for nothing. */
export function dropOpen(run: LiveRun, token: string): LiveRun {
  const stays = (each: Question) => each.token !== token || each.answer !== null;
  return run.questions.every(stays) ? run : { ...run, questions: run.questions.filter(stays) };
}
