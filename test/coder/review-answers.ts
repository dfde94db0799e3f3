import { readdirSync } from "node:fs";
import { expect } from "vitest";
import { type CodedProject, stepOf } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

export const call = (name: string, input: Record<string, unknown>): ModelAnswer => ({ calls: [{ name, input }] });

/** Answers each step with the next of its answers. */
export function answers(script: Readonly<Record<string, readonly ModelAnswer[]>>) {
  const taken = new Map<string, number>();
  return (request: ModelRequest): ModelAnswer => {
    const step = stepOf(request);
    const index = taken.get(step) ?? 0;
    taken.set(step, index + 1);
    const answer = script[step]?.[index];
    if (answer === undefined) throw new Error(`${step} has no answer ${index}`);
    return answer;
  };
}

export const code = (project: CodedProject, ...words: string[]) =>
  project.holdfast(["code", ...words, "--model", project.agent.slice("model:".length), "--yes"], {
    env: project.settings,
  });

export const runOf = (project: CodedProject) => readdirSync(`${project.root}/.holdfast/runs`)[0] ?? "";

export async function answered(project: CodedProject, words: string) {
  expect(await project.person("answer", words)).toMatchObject({ code: 0 });
  return code(project, "--resume", runOf(project));
}
