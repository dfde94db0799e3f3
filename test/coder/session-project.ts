import { type CodedProject, createCoded } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

export const call = (name: string, input: Record<string, unknown>) => ({ name, input });
export const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });
export const done = (output: string) => calls(call("done", { output }));
export const look = calls(call("read", { path: "README.md" }));

type Step = ModelAnswer | ((project: CodedProject) => Promise<ModelAnswer>);

export const flow = (steps: string) => `name: story\ndescription: A small story\n${steps}`;
export const single = flow('steps: [{ id: A, type: action, instructions: "Do it" }]\n');
export const gated = flow('steps: [{ id: A, type: action, instructions: "Do it", gate: [{ run: test -e ok }] }]\n');

export async function play(workflow: string, ...steps: readonly Step[]) {
  const project: CodedProject = await createCoded({
    workflow,
    answer: async (_request, index) => {
      const step = steps[index] ?? done("The end");
      return typeof step === "function" ? step(project) : step;
    },
  });
  const ended = await project.run("--no-wait");
  return { project, ended, requests: project.model.requests };
}

export const lastText = (request: ModelRequest | undefined) => request?.messages.at(-1)?.text ?? "";
export const lastResults = (request: ModelRequest | undefined) =>
  request?.messages.at(-1)?.results.map(({ text }) => text);

/** A question with a secret in it. */
const question = "May I use the key sk-ant-REDACTED-1234567890abcdef?";
export const asks = calls(call("ask_question", { question }));
