import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { outputsRead } from "../engine/commands/conditions.ts";
import { dueAction } from "../engine/commands/context-actions.ts";
import { decide } from "../engine/commands/decide.ts";
import { evolve } from "../engine/evolve/evolve.ts";
import { sourceAt } from "../engine/step-settings.ts";
import { type AgentWords, agentWords } from "../engine/view/agent-words.ts";
import { latestOutput, namedOutput } from "../engine/view/kept-outputs.ts";
import { view } from "../engine/view/view.ts";
import type { AdvanceCommand, Command } from "../model/command.ts";
import { wordRefusal } from "../model/refusal/refusal.ts";
import type { Run, StartedRun, Visit } from "../model/run.ts";
import { isLive, outputKey } from "../model/run-state.ts";
import type { Task } from "../model/task.ts";
import { parseTaskList } from "../model/written/task-list.ts";
import { hashTemplate } from "../templates/hash.ts";
import { validateTemplate } from "./loader.ts";
import { restoreRun, saveState } from "./saved-state.ts";
import type {
  RegisteredArtefacts,
  SavedState,
  StepContextAction,
  WorkflowState,
  WorkflowStatusResponse,
  WorkflowTask,
  WorkflowTemplate,
} from "./types.ts";

export type AdvanceOptions = Pick<AdvanceCommand, "outcome" | "failed" | "gates" | "until">;

const runId = "workflow-00000000_000000-0000";

/**
 * The engine in memory, for a program that keeps its own state. `decide` decides every move; this class keeps what the
 * saved state has beyond a run: outputs, absolute artefact paths and the context action flag.
 */
export class WorkflowStateMachine {
  readonly #template: WorkflowTemplate;
  #run: StartedRun;
  #outputs: Record<string, string> = {};
  #artefacts: string[] = [];
  #marked: string | null = null;

  constructor(template: WorkflowTemplate) {
    this.#template = template;
    this.#run = begin(template);
  }

  /**
   * Goes on by the template that the state carries, even if the file has changed since. `template` is for older states,
   * which carry none. Artefacts and the context action flag may be missing, too.
   */
  static fromState(template: WorkflowTemplate, state: SavedState): WorkflowStateMachine {
    const saved = structuredClone(state);
    const own = saved.workflow_definition ?? template;
    if (!isDeepStrictEqual(own, template)) validateTemplate(own);
    const machine = new WorkflowStateMachine(own);
    machine.#run = restoreRun(own, machine.#run, saved);
    machine.#outputs = saved.outputs;
    machine.#artefacts = saved.artefacts ?? [];
    machine.#marked = saved.contextActionExecuted === true ? (machine.#visit?.token ?? null) : null;
    return machine;
  }

  /** Starts again after the end; a running machine stays where it is. */
  start(): WorkflowStatusResponse {
    if (isLive(this.#run)) return this.getStatus();
    this.#run = begin(this.#template);
    this.#outputs = {};
    this.#artefacts = [];
    this.#marked = null;
    return this.getStatus();
  }

  /**
   * Ends the current visit. After the end of the run it changes nothing and returns the final status. At a loop with a source
   * of tasks, the output is what the program got from there.
   */
  advance(output: string, options: AdvanceOptions = {}): WorkflowStatusResponse {
    if (!isLive(this.#run)) return this.getStatus();
    const place = this.#visit?.place;
    if (place?.type === "loop" && options.failed !== true) {
      this.#apply({ type: "set-tasks", loop: place.step, tasks: [] });
      this.#keep(outputKey(place), output);
    } else if (place && sourceAt(this.#template, place) !== null && options.failed !== true) {
      this.#apply({ type: "set-tasks", loop: place.step, tasks: tasksIn(output) });
    } else {
      // A program reads the instructions whenever it likes, so it counts as having them.
      this.#apply({ type: "take-instructions" });
      this.#apply({ type: "advance", output, ...options, unattended: true });
    }
    return this.getStatus();
  }

  setTasks(loop: string, tasks: readonly WorkflowTask[]): void {
    const plain = tasks.map(({ id, title, description, depends_on: before }) => ({
      id,
      title,
      ...(typeof description === "string" && { description }),
      ...(Array.isArray(before) && { depends_on: before.filter((task) => typeof task === "string") }),
    }));
    this.#apply({ type: "set-tasks", loop, tasks: plain });
  }

  /** `words` adds the tools or commands of an agent to the instructions, which otherwise name none. */
  getStatus(words: AgentWords = agentWords.plain): WorkflowStatusResponse {
    const outputOf = (name: string) => namedOutput(this.#template, this.#run, this.#outputs, name);
    const world = { outputOf, projectRoot: process.cwd(), words };
    const status = view(this.#template, this.#run, this.#visit ?? null, world);
    const { runId: _runId, workflow: _workflow, phase: _phase, token: _token, ...seen } = status;
    const { task } = seen;
    return {
      ...seen,
      status: this.#run.status === "complete" ? "complete" : isLive(this.#run) ? "running" : "failed",
      ...(task && {
        subStep: task.subStep,
        subStepIndex: task.subStepIndex,
        totalSubSteps: task.totalSubSteps,
      }),
      artefacts: [...this.#artefacts],
    };
  }

  getState(): WorkflowState {
    return saveState(this.#template, this.#run, {
      outputs: this.#outputs,
      artefacts: this.#artefacts,
      contextActionExecuted: this.#marked !== null && this.#marked === this.#visit?.token,
    });
  }

  /** The context action that the host must run before this visit; null once it is marked as executed. */
  getContextActionIfNeeded(): StepContextAction | null {
    return this.#visit === undefined ? null : dueAction(this.#visit);
  }

  markContextActionExecuted(): void {
    if (this.#visit === undefined) return;
    this.#marked = this.#visit.token;
    this.#apply({ type: "hand-out" });
  }

  /** The outputs so far, by key. */
  getContext(): Record<string, string> {
    return { ...this.#outputs };
  }

  /** A blank summary changes nothing. */
  setSummary(summary: string): void {
    this.#apply({ type: "set-summary", summary });
  }

  getTemplate(): WorkflowTemplate {
    return this.#template;
  }

  /** Registers existing files; relative paths are resolved against the working directory. */
  registerArtefacts(paths: readonly string[]): RegisteredArtefacts {
    const sorted: RegisteredArtefacts = { registered: [], duplicates: [], invalid: [] };
    for (const path of paths) {
      // A program without types can pass anything.
      const absolute = typeof path === "string" && path !== "" ? resolve(path) : null;
      if (absolute === null || !isFile(absolute)) sorted.invalid.push(path);
      else if (this.#artefacts.includes(absolute)) sorted.duplicates.push(absolute);
      else {
        this.#artefacts.push(absolute);
        sorted.registered.push(absolute);
      }
    }
    return sorted;
  }

  get #visit(): Visit | undefined {
    return isLive(this.#run) ? this.#run.visits[0] : undefined;
  }

  #apply(command: Command): void {
    const decision = decide(this.#template, this.#run, command, now(), this.#conditionOutputs());
    if (!decision.ok) {
      // A program calls neither commands nor tools, so the advice on what to do next is not for it.
      throw new Error(wordRefusal(decision.refusal).message, { cause: decision.refusal });
    }
    for (const event of decision.events) {
      this.#run = started(evolve(this.#run, event));
      if (event.type !== "visit-ended" && event.type !== "visit-failed") continue;
      this.#keep(event.key, event.output);
      if (event.type === "visit-failed" && event.token === this.#marked) this.#marked = event.retry;
    }
  }

  #conditionOutputs(): Record<string, string> {
    const found = outputsRead(this.#template).map((step) => [step, latestOutput(this.#outputs, step)]);
    return Object.fromEntries(found.filter(([, output]) => output !== undefined));
  }

  /** Deletes the key first, so that the keys stay in the order of their latest output. */
  #keep(key: string, output: string): void {
    delete this.#outputs[key];
    this.#outputs[key] = output;
  }
}

function begin(template: WorkflowTemplate): StartedRun {
  const command: Command = { type: "start", runId, templateHash: hashTemplate(template) };
  const decision = decide(template, { status: "absent" }, command, now());
  if (!decision.ok) throw new Error(wordRefusal(decision.refusal).message, { cause: decision.refusal });
  return started(decision.events.reduce<Run>(evolve, { status: "absent" }));
}

function tasksIn(content: string): readonly Task[] {
  const list = parseTaskList(content);
  if (!list.ok) throw new Error(`the list of tasks cannot be used: ${list.problem}`);
  return list.tasks;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) return false;
    throw cause;
  }
}

function started(run: Run): StartedRun {
  if (run.status === "absent") throw new Error("a begun run cannot be absent");
  return run;
}

function now(): string {
  return new Date().toISOString();
}
