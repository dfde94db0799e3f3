import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createProject, type Ended, type Project } from "../cli/program.ts";
import { apiEnvironment } from "./claude.ts";
import type { ClaudeScript, Rejection } from "./claude-answers.ts";
import { type ClaudeModel, startClaudeModel } from "./claude-model.ts";
import { type ClaudeRequest, claudeToolResults, isCompaction, lastUserText } from "./claude-request.ts";
import { claudeProgram } from "./programs.ts";
import type { Reply } from "./reply.ts";

export const advance = (input: Readonly<Record<string, unknown>>): Reply => ({
  calls: [{ name: "mcp__holdfast__workflow_advance", input }],
});

/** Whether the agent has sent its result, and is to end its turn. */
function isRecorded(request: ClaudeRequest): boolean {
  return lastUserText(request).includes("recorded; end your turn now");
}

/** An agent that does each visit as `work` says, in one call, and then ends its turn. */
function createDiligent(work: (asked: string) => Reply): ClaudeScript {
  return (request) => {
    const asked = lastUserText(request);
    if (isCompaction(request)) return { text: "SUMMARY of the work so far" };
    if (claudeToolResults(request).some((text) => !text.includes("recorded"))) throw new Error(asked);
    return isRecorded(request) ? { text: "Ended." } : work(asked);
  };
}

export const diligent = createDiligent(() => advance({ output: "It is done" }));

export function rejection(status: number, type: string, message: string): Rejection {
  return { status, error: { type, message } };
}

export interface Driven extends Project {
  readonly model: ClaudeModel;
  run(words?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Starts a run, or goes on with the one that there is. */
  start(env: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
  events(): { type: string; [field: string]: unknown }[];
}

export async function createDriven(workflow: string, script: ClaudeScript, version: string): Promise<Driven> {
  const project = createProject();
  project.write(".holdfast/workflows/boat.yaml", `name: boat\ndescription: Builds a boat\n${workflow}`);
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  const model = await startClaudeModel(script);
  const folder = dirname(await claudeProgram(version));
  mkdirSync(join(project.home, "tmp"));
  const env = {
    ...apiEnvironment(model),
    PATH: `${folder}${delimiter}${project.env.PATH}`,
    XDG_CONFIG_HOME: join(project.home, ".config"),
    CLAUDE_CODE_MAX_RETRIES: "0",
    TMPDIR: join(project.home, "tmp"),
  };
  return {
    ...project,
    model,
    run: (words = [], more = {}) =>
      project.bundled(["run", "boat", "Build it", "--agent", "claude", "--yes", ...words], {
        env: { ...env, ...more },
      }),
    start(more) {
      const runs = join(project.root, ".holdfast/runs");
      const [run] = existsSync(runs) ? readdirSync(runs) : [];
      const words = run === undefined ? ["boat", "Build it"] : ["--resume", run];
      return project.begin(["run", ...words, "--yes"], { env: { ...env, ...more } });
    },
    events: () =>
      project
        .journal()
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line).events),
  };
}

export const threeSteps = `
steps:
  - { id: plan, type: action, instructions: "Plan the hull" }
  - { id: build, type: action, context: compact, instructions: "Build what was planned" }
  - { id: ship, type: action, context: clear, instructions: "Ship the boat" }
`;

export const wholeWorkflow = `
loops:
  build:
    - { id: make, context: clear, instructions: "Make {task.title}" }
    - { id: check, context: compact, instructions: "Check {task.title}", gate: [{ run: sh gate.sh }] }
steps:
  - { id: plan, type: action, instructions: "Draw the PLAN" }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, instructions: "Polish it", until: [{ run: test -f polished }] }
  - { id: judge, type: action, instructions: "Judge it", outcomes: { good: next, bad: polish } }
  - { id: note, type: command, run: "echo noted > note.txt" }
  - { id: ship, type: action, instructions: "Ship it" }
`;

export const parts = ["HULL", "MAST", "SAIL"];

/** The first judgement is bad. */
export function createShipwright(polish: () => void): ClaudeScript {
  let judged = 0;
  return createDiligent((asked) => {
    if (asked.includes("workflow_set_tasks")) {
      const tasks = parts.map((part) => ({ id: part.toLowerCase(), title: `the ${part}` }));
      return { calls: [{ name: "mcp__holdfast__workflow_set_tasks", input: { loop_id: "build", tasks } }] };
    }
    if (asked.includes("Polish it")) polish();
    if (asked.includes("Judge it")) return advance({ output: "Judged", outcome: judged++ === 0 ? "bad" : "good" });
    return advance({ output: "It is done" });
  });
}
