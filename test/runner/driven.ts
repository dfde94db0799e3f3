import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { startWorkflow } from "../../src/app/commands/start-run.ts";
import { compose } from "../../src/app/compose.ts";
import type { Notice } from "../../src/model/driving/notice.ts";
import { driveRun } from "../../src/runner/drive.ts";
import { type DriveOptions, type Ending, type Timers, usualTimers } from "../../src/runner/driver.ts";
import { createDriver, findAgent } from "../../src/runner/prepare.ts";
import type { VisitLogs } from "../../src/runner/visit-logs.ts";
import { asPerson, createProject, type Project, program } from "../cli/program.ts";

/** A project with a workflow and an agent that is a shell script. */
export interface DrivenProject extends Project {
  /** Replaces the agent. `$prompt` is what it is asked. */
  agent(script: string): void;
  run(words?: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  resume(words?: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The words of a person who decides. */
  asMara(): readonly string[];
  /** Drives the run of this project, or a new one, within this process. */
  drive(how?: Driving): Promise<Ending>;
  /** What the agent was asked, in order. */
  prompts(): string[];
  events(): { type: string; [field: string]: unknown }[];
}

export interface Driving {
  readonly timers?: Partial<Timers>;
  readonly most?: DriveOptions["most"];
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the logs beside the journal. */
  readonly logs?: VisitLogs;
  report?(notice: Notice): void;
}

/** The bundled program as a line in an agent's script calls it. Only its environment says that no person calls. */
export function fromInside(words: string): string {
  const [option, value] = asPerson;
  return `'${process.execPath}' ${option} '${value}' '${program}' ${words}`;
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
  const drive = async ({ timers, most = {}, signal = new AbortController().signal, env, logs, report }: Driving) => {
    const surroundings = () => ({ terminal: null, ancestors: [] });
    const nobody = { session: undefined, isTerminal: false, surroundings, as: undefined, confirm: undefined };
    const caller = { ...nobody, face: "cli" as const, progress: undefined, signal };
    const deps = compose(project.root, { ...caller, env: { ...project.env, ...trusted.env, ...env } });
    const options: DriveOptions = { permissions: "edit", wait: true, most, timers: { ...usualTimers, ...timers } };
    const ready = await findAgent(deps, "command:./agent.sh", options);
    if (!ready.ok) throw new Error(ready.refusal.code);
    if (!existsSync(join(project.root, ".holdfast/runs"))) await startWorkflow(deps, { workflow: "boat" });
    const standing = await deps.journal.load(await latest());
    if (standing === null) throw new Error("there is no run");
    const watch = { signal, report: report ?? (() => {}) };
    const driver = await createDriver(deps, standing, ready.value, options, watch);
    return driveRun(logs === undefined ? driver : { ...driver, logs });
  };
  return {
    ...project,
    agent,
    asMara: () => {
      const file = project.write("../home/.config/holdfast/secret", "a-secret-of-24-characters");
      return ["--as", "mara", "--secret-file", file];
    },
    drive: (how = {}) => drive(how),
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
