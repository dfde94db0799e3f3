import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { createProject, type Project } from "../cli/program.ts";

/** A project with a workflow and an agent that is a shell script. */
export interface DrivenProject extends Project {
  /** Replaces the agent. `$prompt` is what it is asked. */
  agent(script: string): void;
  run(words?: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  resume(words?: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** What the agent was asked, in order. */
  prompts(): string[];
  events(): { type: string; [field: string]: unknown }[];
}

const separator = "=====8<=====";

export function createDriven(workflow: string, script = "echo done"): DrivenProject {
  const project = createProject();
  project.write(".holdfast/workflows/boat.yaml", `name: boat\ndescription: Builds a boat\n${workflow}`);
  const agent = (lines: string) => {
    const text = `#!/bin/sh\nprompt=$(cat)\nprintf '%s\\n${separator}\\n' "$prompt" >> prompts.log\n${lines}\n`;
    chmodSync(project.write("agent.sh", text), 0o755);
  };
  agent(script);
  const trusted = { env: { XDG_CONFIG_HOME: join(project.home, ".config") } };
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  const run = (words: readonly string[]) =>
    project.holdfast(["run", ...words, "--agent", "command:./agent.sh", "--yes"], trusted);
  const latest = async () => {
    const { value } = await project.json(["runs"]);
    return value.runs[0].runId as string;
  };
  return {
    ...project,
    agent,
    run: (words = []) => run(["boat", ...words]),
    resume: async (words = []) => run(["--resume", await latest(), ...words]),
    prompts: () =>
      existsSync(join(project.root, "prompts.log"))
        ? project
            .read("prompts.log")
            .split(separator)
            .slice(0, -1)
            .map((prompt) => prompt.trim())
        : [],
    events: () =>
      project
        .journal()
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line).events),
  };
}
