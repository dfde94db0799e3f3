import { expect, test } from "vitest";
import { createCoded, occurrences } from "./coded.ts";

/** A step for each hint. */
const workflow = (...hints: readonly string[]) => {
  const steps = hints.map(
    (hint, index) => `  - { id: S${index}, type: action, instructions: Do it, model: ${hint} }\n`,
  );
  return `name: story\ndescription: A small story\nsteps:\n${steps.join("")}`;
};

test("a step's model counts if it is one of the run's provider; others are passed over with one note", async () => {
  const project = await createCoded({
    workflow: workflow("sonnet", "anthropic/claude-small", "sonnet", "openai/gpt-large", "anthropic/"),
    answer: () => ({ calls: [{ name: "done", input: { output: "Done" } }] }),
  });
  const ended = await project.run();
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const models = ["claude-scripted", "claude-small", "claude-scripted", "claude-scripted", "claude-scripted"];
  expect(project.model.requests.map(({ body }) => body.model)).toEqual(models);
  expect(occurrences(ended.stdout, 'note: the model "sonnet" of this step is not one of anthropic')).toBe(1);
  expect(occurrences(ended.stdout, 'note: the model "openai/gpt-large"')).toBe(1);
  expect(ended.stdout).not.toContain('note: the model "anthropic/claude-small"');
  // The journal has the models that were asked.
  const log = await project.holdfast(["log", "--json"], { env: project.settings });
  expect([...log.stdout.matchAll(/"attempt-began".*?"model":"([^"]*)"/g)].map(([, model]) => model)).toEqual(models);
});
