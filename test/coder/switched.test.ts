import { basename } from "node:path";
import { expect, test, vi } from "vitest";
import { agents, createCoded, sentIn } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import { startScriptedModel, type WireName } from "./model/start.ts";

const workflow = 'name: story\ndescription: One step\nsteps: [{ id: A, type: action, instructions: "Do it" }]\n';
const call = (name: string, input: Record<string, unknown>) => ({ name, input });

/** Thinks, looks at two files at once, and asks a person. */
const first: readonly ModelAnswer[] = [
  {
    thinking: "I look around first.",
    text: "Looking.",
    calls: [call("read", { path: "README.md" }), call("list", {})],
  },
  { thinking: "A person must say.", calls: [call("ask_question", { question: "Which greeting?" })] },
];
const second: readonly ModelAnswer[] = [
  { thinking: "Now I know.", text: "I see.", calls: [call("read", { path: "greet.js" })] },
  { thinking: "All is done.", calls: [call("done", { output: "It is done." })] },
];

const wires: readonly WireName[] = ["anthropic", "openai-responses", "openai-chat"];
const pairs = wires.flatMap((from) => wires.filter((to) => to !== from).map((to) => [from, to] as const));

test.each(pairs)("a run begun with %s goes on with %s, and the conversation with it", async (from, to) => {
  const warn = vi.spyOn(console, "warn");
  const project = await createCoded({ wire: from, workflow, answer: (_request, index) => first[index] ?? {} });
  expect(await project.run()).toMatchObject({ code: 4 });
  expect(await project.person("answer", "Hello and the name")).toMatchObject({ code: 0 });
  const other = await startScriptedModel({ wire: to, answer: (_request, index) => second[index] ?? {} });
  const env = { ...project.settings, ANTHROPIC_BASE_URL: other.baseUrl, OPENAI_BASE_URL: other.baseUrl };
  const local = `{ local: { base_url: "${other.baseUrl}", key: LOCAL_KEY } }`;
  project.write("../home/.config/holdfast/config.yaml", `trust: all\ncoder: { providers: ${local} }\n`);
  const ended = await project.holdfast(
    ["run", "--resume", basename(project.runFolder()), "--agent", agents[to], "--yes"],
    { env },
  );
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const [taken, last] = other.requests;
  if (taken === undefined || last === undefined) throw new Error("The second model was not asked twice");
  const before = project.model.requests.at(-1);
  const roles = taken.messages.map(({ role }) => role);
  expect(roles.slice(0, before?.messages.length)).toEqual(before?.messages.map(({ role }) => role));
  for (const text of ["# Greeter", "Which greeting?", "Hello and the name"]) expect(sentIn(taken)).toContain(text);
  expect(sentIn(last)).toContain("export const greet");
  expect(warn).not.toHaveBeenCalled();
});

test("a model that OpenAI's package does not know as one that thinks is asked again all the same", async () => {
  const script = [...first.slice(0, 1), ...second];
  const project = await createCoded({ wire: "openai-responses", workflow, answer: (_request, at) => script[at] ?? {} });
  const words = ["run", "story", "Greet", "--agent", "model:openai/ours", "--yes"];
  expect(await project.holdfast(words, { env: project.settings })).toMatchObject({ code: 0 });
  expect(project.model.requests).toHaveLength(3);
});
