import { placesOf } from "../../engine/commands/approval.ts";
import {
  commandAt,
  findStep,
  outcomesOf,
  resolveChecks,
  sourceAt,
  sourceText,
  stepSettings,
} from "../../engine/step-settings.ts";
import { failureVerdicts, reviewVerdicts } from "../../engine/verdicts.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { Via } from "../../model/event.ts";
import type { Gate } from "../../model/gate.ts";
import { joinWords } from "../../model/quote.ts";
import type { Evidence } from "../../model/recorded.ts";
import type { Visit } from "../../model/run.ts";
import { isApproval } from "../../model/run-state.ts";
import type { Task } from "../../model/task.ts";
import type { Finding } from "../../templates/problem.ts";
import { checkOutput } from "../gates/check-output.ts";
import { describeCheck } from "../gates/describe-check.ts";
import type { Cue } from "./cues.ts";
import { createScene, type Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

/** How a turn ended: the visit is over, it is tried again, or it waits for a person whom the script does not have. */
type End = "over" | "again" | "waits";

export interface Turn {
  readonly end: End;
  readonly findings: readonly Finding[];
}

/** Does what the script says at one visit. */
export function takeTurn(stage: Stage, visit: Visit, cue: Cue): Turn {
  const scene = createScene(stage, visit, cue);
  if (visit.untaken === true) scene.must({ type: "take-instructions", token: visit.token });
  stage.listen(visit);
  const handed = scene.must({ type: "hand-out", token: visit.token });
  for (const event of handed) if (event.type === "context-action-handed-out") scene.note(`${event.action} first`);
  const end = spend(scene) ?? (scene.failed() ? "over" : act(scene));
  return { end, findings: scene.failed() ? scene.findings : [...scene.findings, ...scene.unneeded()] };
}

/** Reaches a limit of the budget; null if the visit goes on. */
function spend(scene: Scene): End | null {
  const limit = scene.use("spend");
  if (limit === undefined) return null;
  const { stage, visit } = scene;
  const { token } = visit;
  const { template } = stage;
  const most = stepSettings(template, visit.place)?.budget?.[limit] ?? template.budget?.[limit];
  if (most === undefined) {
    scene.wrong("spend", `has no budget of ${limit}`);
    return "over";
  }
  if (limit === "minutes") {
    stage.player.pass(most);
    scene.must({ type: "open-review", token });
  } else scene.must({ type: "count", token, [limit]: most });
  scene.note(`budget of ${limit} spent`);
  const verdict = scene.use("decide");
  const feedback = scene.use("reason");
  if (verdict === undefined) return "waits";
  const fitting = reviewVerdicts.find((each) => each === verdict);
  if (fitting === undefined) {
    scene.wrong("decide", `has spent its budget; decide ${joinWords(reviewVerdicts, "or")}`);
    return "over";
  }
  scene.note(`a person decides: ${fitting}`);
  scene.must({ type: "review", token, verdict: fitting, by: someone, feedback });
  if (fitting === "escalate") return "waits";
  return fitting === "continue" ? null : "over";
}

const someone = "a person";

function act(scene: Scene): End {
  switch (scene.visit.place.type) {
    case "command":
      return carryOut(scene);
    case "loop":
      return scene.use("fail") === undefined ? setTasks(scene) : advance(scene);
    default:
      return advance(scene);
  }
}

function carryOut(scene: Scene): End {
  const { stage, visit } = scene;
  const { token, place } = visit;
  const source = sourceAt(stage.template, place);
  const own = commandAt(stage.template, {}, place);
  if (own === null) return takeTasks(scene);
  const what = describeCheck(own.check);
  const exitCode = scene.use("exit") ?? 0;
  const evidence = { gate: 0, what, held: exitCode === 0, exitCode, tail: scene.use("output") ?? "" };
  const runner = "rehearsal";
  scene.must({ type: "start-command", token, runner, interrupted: false });
  const tasks = source === null || exitCode !== 0 ? undefined : tasksOf(scene);
  scene.must({ type: "end-command", token, runner, evidence, tasks, cancelled: false });
  scene.note(exitCode === 0 ? `${what} passes` : `${what} fails (exit ${exitCode})`);
  return decideFailure(scene);
}

/** The tasks of a loop come from a file or an output, which the script replaces. */
function takeTasks(scene: Scene): End {
  const { stage, visit } = scene;
  const source = sourceAt(stage.template, visit.place);
  const what = source === null || "run" in source ? "" : sourceText(source);
  const reason = scene.use("fail");
  const evidence = { gate: 0, what, held: reason === undefined, ...(reason !== undefined && { tail: reason }) };
  const tasks = reason === undefined ? tasksOf(scene) : undefined;
  scene.must({ type: "end-command", token: visit.token, runner: "rehearsal", evidence, tasks, cancelled: false });
  if (reason !== undefined) scene.note(`${what} fails: ${reason}`);
  return decideFailure(scene);
}

const exampleTasks = ["First task", "Second task"];

function setTasks(scene: Scene): End {
  const { step } = scene.visit.place;
  scene.must({ type: "set-tasks", loop: step, tasks: tasksOf(scene) });
  return "over";
}

function tasksOf(scene: Scene): readonly Task[] {
  const tasks = (scene.use("tasks") ?? exampleTasks).map((task, index) =>
    // The engine checks each task, and says what is wrong with it.
    typeof task === "string" ? { id: `t${index + 1}`, title: task } : (task as unknown as Task),
  );
  scene.note(tasks.length === 1 ? "1 task" : `${tasks.length} tasks`);
  return tasks;
}

/** Tries to end the visit like an agent that does what a refusal asks for. */
function advance(scene: Scene): End {
  const { stage, visit } = scene;
  const { token } = visit;
  const command = answerTo(scene);
  if (command.failed === true) {
    scene.note(`fails: ${command.output}`);
    scene.must(command);
    return decideFailure(scene);
  }
  const decision = stage.play(command);
  if (decision.ok) return "over";
  const { refusal } = decision;
  if (refusal.code === "gate-failed") {
    scene.note(`the gate does not hold: ${refusal.what}`);
    scene.must({ type: "report-gates", token, evidence: command.gates ?? [] });
    return "again";
  }
  if (refusal.code === "approval-needed") return approve(scene, command);
  scene.refused(refusal);
  return "over";
}

function answerTo(scene: Scene): AdvanceCommand {
  const { stage, visit } = scene;
  const { token, place } = visit;
  const reason = scene.use("fail");
  if (reason !== undefined) return { type: "advance", token, output: reason, failed: true };
  const output = scene.use("output") ?? `The output of ${token}.`;
  const [first] = Object.keys(outcomesOf(stage.template, place) ?? {});
  const outcome = scene.use("outcome") ?? first;
  if (outcome !== undefined) scene.note(outcome);
  const step = findStep(stage.template, place.step);
  const gates = checked(scene, "gates", stepSettings(stage.template, place)?.gates ?? [], output);
  const passed = gates.every(({ held }) => held);
  const until = step?.type === "ralph" && passed ? checked(scene, "until", step.until ?? [], output) : [];
  const variables = scene.use("variables");
  return { type: "advance", token, output, outcome, variables, gates, until };
}

/** What the checks say, in order, up to the first that fails. Those of the answer itself are made for real. */
function checked(scene: Scene, key: "gates" | "until", checks: readonly Gate[], output: string): Evidence[] {
  const { template, projectRoot } = scene.stage;
  const evidence: Evidence[] = [];
  for (const [gate, check] of resolveChecks(template, {}, checks).entries()) {
    if (isApproval(check)) continue;
    const result = "output" in check ? checkOutput(projectRoot, check, output) : scripted(scene.use(key), key);
    const held = result === null;
    evidence.push({ gate, what: describeCheck(check), held, ...(!held && { tail: result }) });
    if (!held) break;
  }
  return evidence;
}

/** Gates hold unless the script says otherwise; the passes of a ralph step go on unless it says so. */
function scripted(said: "pass" | "fail" | undefined, key: "gates" | "until"): string | null {
  return (said ?? (key === "gates" ? "pass" : "fail")) === "pass" ? null : "the script lets this check fail";
}

function approve(scene: Scene, command: AdvanceCommand): End {
  const { visit } = scene;
  const { token } = visit;
  scene.must({ type: "request-approval", token, output: command.output, outcome: command.outcome });
  const rejected = scene.use("reject");
  if (rejected !== undefined) {
    scene.must({ type: "reject", token, by: someone, reason: rejected });
    scene.note(`a person rejects it: ${rejected}`);
    return "again";
  }
  const said = scene.use("approve");
  const reason = said === true ? undefined : said;
  scene.must({ type: "approve", token, by: someone, via: whereToApprove(scene), reason });
  scene.note("a person approves it");
  scene.must(command);
  return "over";
}

/** The person is wherever the workflow wants them; events of today know only one place besides the terminal. */
function whereToApprove({ stage, visit }: Scene): Via | undefined {
  const [place] = placesOf(stepSettings(stage.template, visit.place)?.gates ?? []);
  return place === "terminal" ? undefined : (place as Via | undefined);
}

/** Lets a person decide about a failure, if one is asked. */
function decideFailure(scene: Scene): End {
  const pending = scene.stage.player.visit();
  if (scene.failed() || pending?.pending === undefined) return "over";
  const verdict = scene.use("decide");
  const reason = scene.use("reason");
  if (verdict === undefined) {
    scene.note("waits for a person to decide");
    return "waits";
  }
  const step = typeof verdict === "object" ? verdict.go_to : undefined;
  const fitting = failureVerdicts.find((each) => each === (typeof verdict === "object" ? "go_to" : verdict));
  if (fitting === undefined || (fitting === "go_to" && step === undefined)) {
    scene.wrong("decide", "has failed; decide retry, skip or abandon, or { go_to: <step> }");
    return "over";
  }
  scene.note(`a person decides: ${step === undefined ? fitting : `go to ${step}`}`);
  scene.must({ type: "decide", token: pending.token, verdict: fitting, step, by: someone, reason });
  return "over";
}
