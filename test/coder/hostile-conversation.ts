import { join } from "node:path";
import { expect } from "vitest";
import { createCoded } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

export const question = "Which greeting do people get?";
export const call = (name: string, input: Record<string, unknown>) => ({ name, input });
export const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });

/** Reads a file and asks a person; after the answer it submits a plan, and then asks again. */
function answer({ messages }: ModelRequest): ModelAnswer {
  const made = messages.flatMap((message) => message.calls.map(({ name }) => name));
  if (!made.includes("read")) return calls(call("read", { path: "README.md" }));
  if (!made.includes("ask_question")) return calls(call("ask_question", { question }));
  return calls(call("ask_question", { question: "And now?" }));
}

/** A run that waits for an answer, and the file of its conversation. */
export async function createWaiting() {
  const project = await createCoded({ answer });
  expect(await project.run()).toMatchObject({ code: 4 });
  expect(await project.person("answer", "Hello and the name")).toMatchObject({ code: 0 });
  return { project, file: join(project.runFolder(), "coder.jsonl"), asked: project.model.requests.length };
}
