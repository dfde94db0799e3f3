import { execFileSync } from "node:child_process";
import { createProject, type Project } from "../cli/program.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import { type ScriptedModel, startScriptedModel, type WireName } from "./model/start.ts";

/** A small repository with a real test command, and a scripted model that works in it. */
export interface CodedProject extends Project {
  readonly model: ScriptedModel;
  /** The words and the environment with which the program is driven. */
  readonly agent: string;
  readonly settings: Readonly<Record<string, string>>;
  run(...words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  resume(...words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Acts as a person. */
  person(...words: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** The key that must not be found anywhere. */
export const key = "sk-planted-key-of-the-provider";

export const story = "Let the program greet people by name.";

export const agents: Readonly<Record<WireName, string>> = {
  anthropic: "model:anthropic/claude-scripted",
  "openai-responses": "model:openai/gpt-5-scripted",
  "openai-chat": "model:local/scripted",
};

export interface Coding {
  readonly wire?: WireName;
  readonly workflow?: string;
  readonly settings?: string;
  answer(request: ModelRequest, index: number): ModelAnswer | Promise<ModelAnswer>;
}

/** The coder with a small budget, and with the project's tests as a gate. */
const shortStory = `name: story
description: The coder with a small budget
extends: coder
change:
  - { step: CODING, set: { budget: { turns: 4, pivot_to: PLANNING } } }
  - { step: TESTING, set: { gate: [{ run: node --test }] } }
`;

export async function createCoded({ wire = "anthropic", workflow = shortStory, settings = "", answer }: Coding) {
  const project = createProject();
  const model = await startScriptedModel({ wire, answer });
  project.write("README.md", "# Greeter\nRun the tests with `node --test`.\n");
  project.write("AGENTS.md", "Greet nobody by accident.\n");
  project.write("greet.js", 'export const greet = () => "Hello!";\n');
  project.write(".gitignore", ".holdfast/runs\n");
  project.write("package.json", '{ "name": "greeter", "type": "module" }\n');
  project.write(".holdfast/workflows/story.yaml", workflow);
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=Mara", "-c", "user.email=mara@example.org", ...words], { cwd: project.root });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  const local = `  providers: { local: { base_url: "${model.baseUrl}", key: LOCAL_KEY } }\n`;
  project.write("../home/.config/holdfast/config.yaml", `trust: all\ncoder:\n${local}${settings}`);
  const env = {
    XDG_CONFIG_HOME: `${project.home}/.config`,
    ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.baseUrl, LOCAL_KEY: key },
    ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: model.baseUrl },
  };
  const secret = project.write("../home/.config/holdfast/secret", "a-secret-of-24-characters");
  const agent = agents[wire];
  const latest = async () => (await project.json(["runs"], { env })).value.runs[0].runId as string;
  const coded: CodedProject = {
    ...project,
    model,
    agent,
    settings: env,
    run: (...words) => project.holdfast(["run", "story", story, "--agent", agent, "--yes", ...words], { env }),
    resume: async (...words) =>
      project.holdfast(["run", "--resume", await latest(), "--agent", agent, "--yes", ...words], { env }),
    person: (...words) => project.holdfast([...words, "--as", "mara", "--secret-file", secret], { env }),
  };
  return coded;
}

/** The step that a request belongs to. */
export function stepOf({ system }: ModelRequest): string {
  return /^# The step (\S+)/m.exec(system)?.[1] ?? "";
}

/** All that a model is sent, as one text. */
export function sentIn(request: ModelRequest): string {
  return JSON.stringify([request.system, request.messages]);
}

export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
