import type { Notice } from "../../model/driving/notice.ts";
import "../../operation/quick-schemas.ts";
import { startWorkflow } from "../../app/commands/start-run.ts";
import { compose } from "../../app/compose.ts";
import { findWorkflow } from "../../app/workflows/catalog.ts";
import { readFrozen } from "../../app/workflows/frozen-template.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { permissionLevels } from "../../runner/agents/agent.ts";
import { driveRun } from "../../runner/drive.ts";
import { type DriveOptions, type Ending, usualTimers } from "../../runner/driver.ts";
import { hasReviewer, reviewers, reviewVariable } from "../../runner/person-review.ts";
import { type DrivePlan, firstPrompt, planDrive } from "../../runner/plan.ts";
import { createDriver, findAgent, findResumable, type ReadyAgent } from "../../runner/prepare.ts";
import { callerOf } from "../command/caller-of.ts";
import { choiceOption, flagOption, type ParsedArguments, textOption } from "../command/command.ts";
import { pairs, requestIn } from "../command/read-values.ts";
import { printRefusal, refusalValue } from "../print/print-refusal.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { createLiveView } from "./live-view.ts";
import { printEnding, printNotice, printPlan, printStopping } from "./print-run.ts";

/** `holdfast run`: drives an agent through a workflow until it ends, or a person has to act. */
export async function runWorkflow(parsed: ParsedArguments, io: Io, paint: Paint, errPaint: Paint): Promise<number> {
  const json = flagOption(parsed, "json") === true;
  const asked = await askedIn(parsed, io);
  const deps = compose(io.cwd, callerOf(parsed, io, json));
  const refuse = async (refusal: Refusal) => {
    if (json) io.out(`${JSON.stringify(await refusalValue(refusal))}\n`);
    else io.err(await printRefusal(refusal, errPaint));
    return exitCodes.refused;
  };
  const prepared = await prepare(deps, asked);
  // What Ctrl-C cut short, such as the question whether to start, was not refused.
  const refuseStart = (refusal: Refusal) => (io.signal.aborted ? stopped(io, json) : refuse(refusal));
  if (!prepared.ok) return refuseStart(prepared.refusal);
  const { plan, ready, template } = prepared.value;
  if (asked.isDry) {
    const prompt = asked.resume === undefined ? firstPrompt(template, asked.request, ready, deps.now()) : null;
    io.out(json ? `${JSON.stringify({ ...plan, prompt })}\n` : printPlan(plan, paint, prompt));
    return exitCodes.done;
  }
  io.stopInOrder();
  io.outliveHangup();
  const unconfirmed = await confirm(deps, plan, asked, io, json ? null : paint);
  if (unconfirmed !== null) return refuseStart(unconfirmed);
  if (io.signal.aborted) return stopped(io, json);
  const standing = await begin(deps, asked, prepared.value.standing);
  if (!standing.ok) return refuseStart(standing.refusal);
  const { report, close } = createReporter(plan, asked, deps, io, json ? null : paint);
  const driver = await createDriver(deps, standing.value, ready, asked.options, { signal: io.signal, report });
  const { runId, workflow } = standing.value.run;
  const { version } = ready.facts;
  const isResumed = asked.resume !== undefined;
  const about = { agent: ready.agent.name, ...(version !== undefined && { version }), resumed: isResumed };
  const greet = () => report({ type: "run", run: runId, workflow, ...about });
  const forget = onAbort(io.signal, () => io.err(printStopping(runId, asked.agent, errPaint)));
  const ending = await driveRun(driver, greet).finally(close);
  forget();
  await deps.journal.settle();
  if (ending.type === "refused") return refuse(ending.refusal);
  if (!json) io.out(printEnding(ending, runId, asked.agent, paint));
  return exitCodeOf(ending);
}

function stopped(io: Io, json: boolean): number {
  if (!json) io.out("stopped. Nothing was started.\n");
  return exitCodes.interrupted;
}

/** Also if it was aborted before. The returned function ends that. */
function onAbort(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) aborted();
  signal.addEventListener("abort", aborted, { once: true });
  return () => signal.removeEventListener("abort", aborted);
}

/** Tells whoever watches what happens: a live view on a terminal, plain lines in a pipe, or one JSON value a line. */
function createReporter(plan: DrivePlan, { options }: Asked, { now }: Deps, io: Io, paint: Paint | null) {
  if (paint === null) {
    const report = (notice: Notice) => io.out(`${JSON.stringify({ at: now(), ...notice })}\n`);
    return { report, close: () => {} };
  }
  const isLive = io.styles.out.columns !== null;
  const view = createLiveView(plan, paint, Date.now());
  // Read each time: the window may get another size.
  const draw = () => io.panel(view.lines(Date.now(), io.styles.out.columns ?? paint.columns));
  const timer = isLive ? setInterval(draw, 1_000) : undefined;
  return {
    report(notice: Notice) {
      view.take(notice);
      // The view has the agent's last lines; the log of the visit has all of them.
      const isInView = isLive && (notice.type === "text" || notice.type === "tool");
      // A run that does not go on by itself ends parked, which is printed then.
      const isEnd = notice.type === "parked" && (notice.until === undefined || !options.wait);
      if (!isInView && !isEnd) io.out(printNotice(notice, now(), paint));
      if (isLive) draw();
    },
    close() {
      clearInterval(timer);
      io.panel([]);
    },
  };
}

/** What the person asks for, from the words of the command line. */
interface Asked {
  readonly workflow: string | undefined;
  readonly request: string | undefined;
  readonly resume: string | undefined;
  readonly isNew: boolean;
  readonly isDry: boolean;
  readonly isSure: boolean;
  readonly agent: string;
  /** Permissions were named. */
  readonly isLimited: boolean;
  readonly variables: Record<string, string> | undefined;
  /** It was said who reviews. */
  readonly isReviewerNamed: boolean;
  readonly options: DriveOptions;
}

async function askedIn(parsed: ParsedArguments, io: Io): Promise<Asked> {
  const [workflow, ...words] = parsed.positionals;
  const resume = textOption(parsed, "resume") ?? textOption(parsed, "run");
  if (workflow === undefined && resume === undefined) throw new UsageError("name a workflow, or a run with --resume");
  if (workflow !== undefined && resume !== undefined) throw new UsageError("--resume takes no workflow and no request");
  const review = reviewIn(parsed, resume);
  const permissions = textOption(parsed, "permissions") ?? "edit";
  const level = permissionLevels.find((known) => known === permissions);
  if (level === undefined) throw new UsageError(`--permissions must be one of ${permissionLevels.join(", ")}`);
  const [cost, minutes, turns] = ["max-cost", "max-minutes", "max-turns"].map((name) => numberOption(parsed, name));
  const idle = numberOption(parsed, "idle");
  return {
    workflow,
    request: await requestIn(words, io),
    resume,
    isNew: flagOption(parsed, "new") === true,
    isDry: flagOption(parsed, "dry-run") === true,
    isSure: flagOption(parsed, "yes") === true,
    agent: textOption(parsed, "agent") ?? "claude",
    isLimited: textOption(parsed, "permissions") !== undefined,
    variables: review === undefined ? pairs(parsed, "var") : { ...pairs(parsed, "var"), [reviewVariable]: review },
    isReviewerNamed: review !== undefined,
    options: {
      permissions: level,
      wait: choiceOption(parsed, "wait") ?? true,
      most: {
        ...(cost !== undefined && { cost }),
        ...(minutes !== undefined && { minutes }),
        ...(turns !== undefined && { turns }),
      },
      timers: idle === undefined ? usualTimers : { ...usualTimers, idleMs: idle * 60_000 },
    },
  };
}

/** Only `holdfast code` has this option. */
function reviewIn(parsed: ParsedArguments, resume: string | undefined): string | undefined {
  const review = textOption(parsed, "review");
  if (review === undefined) return undefined;
  if (!reviewers.some((known) => known === review)) {
    throw new UsageError(`--review must be one of ${reviewers.join(", ")}`);
  }
  if (resume !== undefined)
    throw new UsageError("--resume takes no --review: the run keeps the one it was started with");
  return review;
}

function numberOption(parsed: ParsedArguments, name: string): number | undefined {
  const text = textOption(parsed, name);
  if (text === undefined) return undefined;
  const number = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (number <= 0) throw new UsageError(`--${name} needs a number above 0`);
  return number;
}

interface Prepared {
  readonly plan: DrivePlan;
  readonly ready: ReadyAgent;
  readonly template: Template;
  /** The run to go on with; null to start one. */
  readonly standing: Standing | null;
}

async function prepare(
  deps: Deps,
  { workflow = "", resume, agent, isLimited, isReviewerNamed, options }: Asked,
): Promise<Outcome<Prepared>> {
  const found = resume === undefined ? null : await findResumable(deps, resume);
  if (found?.ok === false) return found;
  const standing = found?.value ?? null;
  const template =
    standing === null ? await findTemplate(deps, workflow) : yes((await readFrozen(deps, standing.run)).template);
  if (!template.ok) return template;
  if (isReviewerNamed && !hasReviewer(template.value)) {
    throw new UsageError(`--review works with coder and with workflows that extend it; "${workflow}" does not`);
  }
  const ready = await findAgent(deps, agent, options);
  if (!ready.ok) return ready;
  if (isLimited && !ready.value.agent.can.obey) {
    const problem = "it knows no permissions, so --permissions cannot hold";
    return no({ code: "agent-unfit", agent, problem, next: "leave --permissions out" });
  }
  const plan = planDrive(template.value, ready.value, options);
  return yes({ plan, ready: ready.value, template: template.value, standing });
}

async function findTemplate(deps: Deps, workflow: string): Promise<Outcome<Template>> {
  const found = await findWorkflow(deps, workflow);
  return found.ok ? yes(found.value.template) : found;
}

/** Shows what is about to happen. Only a person at a terminal is asked; everywhere else `--yes` says it. */
async function confirm(
  { caller }: Deps,
  plan: DrivePlan,
  asked: Asked,
  io: Io,
  paint: Paint | null,
): Promise<Refusal | null> {
  if (paint !== null) io.out(printPlan(plan, paint, null));
  if (asked.isSure || (await caller.confirm?.("Start?")) === true) return null;
  return { code: "confirmation-needed", what: `this drives ${plan.agent} through "${plan.workflow}" unattended` };
}

async function begin(deps: Deps, asked: Asked, standing: Standing | null): Promise<Outcome<Standing>> {
  if (standing !== null) return yes(standing);
  const { workflow = "", request, variables, isNew: another } = asked;
  // No session: the runner has one of its own for each run.
  const starter = { ...deps, caller: { ...deps.caller, session: undefined } };
  const started = await startWorkflow(starter, { workflow, request, variables, another, onlyNew: true });
  if (!started.ok) return started;
  const begun = await deps.journal.load(started.value.runId);
  return begun === null ? no({ code: "run-unknown", run: started.value.runId }) : yes(begun);
}

function exitCodeOf({ type }: Ending): number {
  switch (type) {
    case "complete":
      return exitCodes.done;
    case "failed":
    case "refused":
      return exitCodes.refused;
    case "waits":
    case "parked":
      return exitCodes.waits;
    case "interrupted":
      return exitCodes.interrupted;
  }
}
