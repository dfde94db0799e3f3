import type { Note, Pivot } from "../../model/carry.ts";
import { commandText } from "../../model/command-text.ts";
import { ownEntry } from "../../model/json.ts";
import { createDisarm, pivotTag } from "../../model/look-alike.ts";
import { fillProjectRoot, fillText, type PlaceholderRoot } from "../../model/placeholder.ts";
import { shellWord } from "../../model/quote.ts";
import type { Question, StartedRun, Visit } from "../../model/run.ts";
import { approvalOf, claimIn, openQuestion, statusOfVisit, waitsForApproval } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { truncateToEnds } from "../../model/truncate.ts";
import { commandAt, findStep, outcomesOf, sourceAt, sourceText, stepSettings } from "../step-settings.ts";
import { type AgentWords, agentWords } from "./agent-words.ts";
import { rulesOfVisit } from "./visit-rules.ts";

/** Placeholder values that are not in the state: request and outputs are in the journal, the project's path is the machine's. */
export interface World {
  outputOf(step: string): string | undefined;
  /** What the person asked for; the summary if a run has no more than that. */
  readonly request?: string | undefined;
  readonly projectRoot: string;
  /** Whose claims count as the reader's own. */
  readonly session?: string | undefined;
  /** The reader has just ended one of several tasks, and others of its session work on the rest. */
  readonly isBetweenTasks?: boolean;
  /** Whether the reader has said exactly this and still has it. */
  knows?(text: string): boolean;
  /** The commands or tools that the reader has; by default none are named. */
  readonly words?: AgentWords | undefined;
}

/** The most characters of an output, or of all outputs of a loop, in instructions. */
export const outputLimit = 8_000;

/** The complete instructions of a visit. */
export function instruct(template: Template, run: StartedRun, visit: Visit, world: World): string {
  return join([
    ...workTexts(template, run, visit, world),
    ...pinnedTexts(run, visit, world),
    reminder(template, run, visit, world),
  ]);
}

/** The instructions of a visit without feedback from people. */
export function instructBarely(template: Template, run: StartedRun, visit: Visit, world: World): string {
  return join([...workTexts(template, run, visit, world), reminder(template, run, visit, world)]);
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function workTexts(template: Template, run: StartedRun, visit: Visit, world: World): readonly string[] {
  const settings = stepSettings(template, visit.place);
  const body = fillText((settings?.instructions ?? "").trimEnd(), (root, name) => {
    const value = readName(template, run, visit, world, root, name);
    return value && disarm(withRealPaths(value, world));
  });
  const agent = settings?.agent ?? null;
  const head =
    agent === null ? commandHead(template, run, visit) : delegationHead(agent, isSubmitted(visit), wordsOf(world));
  return [head, body, ralphText(template, visit)];
}

/** An output may quote a file that someone else wrote, and must not pass for a person's feedback. */
const disarm = /* @__PURE__ */ createDisarm(pivotTag);

function commandHead(template: Template, { variables }: StartedRun, { place }: Visit): string {
  const source = sourceAt(template, place);
  const check = commandAt(template, variables, place)?.check;
  if (check === undefined) return source === null || "run" in source ? "" : `Holdfast takes the ${sourceText(source)}.`;
  const what = "run" in check ? `\`${commandText(check.run)}\`` : `the command in the variable ${check.command}`;
  return source === null
    ? `Holdfast runs this step itself: ${what}.`
    : `Holdfast gets the tasks from what ${what} prints.`;
}

/** An agent whose work is approved, or waits for that, must not be spawned again. */
function delegationHead(agent: string, submitted: boolean, { delegate = spawn }: AgentWords): string {
  return submitted ? `The agent "${agent}" has done this step with these instructions:` : delegate(agent);
}

function spawn(agent: string): string {
  return `SPAWN the agent "${agent}" for this step and give it these instructions:`;
}

function isSubmitted(visit: Visit): boolean {
  return waitsForApproval(visit) || isApproved(visit);
}

/** A note after the approval says that a gate has failed since. */
function isApproved(visit: Visit): boolean {
  return approvalOf(visit) !== null && visit.note === null;
}

/** Null if there is no value, undefined if the text in braces is no placeholder at this place. */
function readName(
  template: Template,
  run: StartedRun,
  visit: Visit,
  world: World,
  root: PlaceholderRoot,
  name: string,
): string | null | undefined {
  const { place } = visit;
  switch (root) {
    case "project_root":
      return world.projectRoot;
    case "pass":
      return place.type === "ralph" ? String(place.iteration) : undefined;
    case "passes": {
      const step = findStep(template, place.step);
      return step?.type === "ralph" ? String(step.n) : undefined;
    }
    case "gates":
      return rulesOfVisit(template, run, visit)
        .gates.map((gate) => `- ${gate}`)
        .join("\n");
    case "run":
      return runValue(run, world, name);
    case "vars":
      return ownEntry(run.variables, name)?.toString() ?? null;
    case "outputs": {
      const output = world.outputOf(name);
      if (output === undefined) return null;
      return world.knows?.(output) === true ? "(it is in your conversation)" : truncateToEnds(output, outputLimit);
    }
    case "task":
      return taskValue(run, visit, name);
  }
}

function runValue({ runId, summary }: StartedRun, { request }: World, name: string): string | null {
  if (name === "id") return runId;
  return name === "request" ? (request ?? summary) : summary;
}

function taskValue(run: StartedRun, { place }: Visit, name: string): string | null {
  if (place.type !== "sub-step") return null;
  const task = ownEntry(run.loops, place.step)?.tasks[place.index];
  if (name === "id") return place.task;
  return (name === "title" ? task?.title : task?.description) ?? null;
}

function wordsOf({ words = agentWords.plain }: World): AgentWords {
  return words;
}

function askForTasks(loop: string, { setTasks }: AgentWords): string {
  return `This step works through a list of tasks. ${setTasks(loop)}; an empty list skips the step.`;
}

function ralphText(template: Template, { place }: Visit): string {
  const step = findStep(template, place.step);
  if (place.type !== "ralph" || step?.type !== "ralph") return "";
  const banner = `[Iteration ${place.iteration} of ${step.n}]`;
  if (place.iteration === 1) {
    return step.n === 1
      ? banner
      : `${banner}\nYou get the same task ${step.n} times, so that each pass can improve the result.`;
  }
  return `${banner}\nThis is the same task again: improve the result, do not skip it. Look for what the last pass left weak.`;
}

function reminder(template: Template, run: StartedRun, visit: Visit, world: World): string {
  const text = reminderText(template, run, visit, world);
  const isSpawned = isDelegated(template, visit) && wordsOf(world).delegate === undefined;
  return isSpawned && text !== "" ? `(Its instructions end here.) ${text}` : text;
}

function reminderText(template: Template, run: StartedRun, visit: Visit, world: World): string {
  const words = wordsOf(world);
  if (run.status === "paused") return pausedText(run.reason);
  switch (statusOfVisit(run, visit)) {
    case "running":
      return goOnWord(template, visit, words);
    case "waiting":
      return waitWord(visit, openQuestion(run, visit.token), words);
    case "review":
      return waitForReview(visit);
    default:
      return "";
  }
}

function goOnWord(template: Template, visit: Visit, words: AgentWords): string {
  if (visit.place.type === "loop") return askForTasks(visit.place.step, words);
  if (visit.place.type === "command") return words.carryOut ?? "";
  const outcomes = Object.keys(outcomesOf(template, visit.place) ?? {});
  if (isApproved(visit)) {
    // The workflow may have changed since, and not have the approved outcome any more.
    const approved = outcomes.filter((outcome) => outcome === visit.proposed);
    return approvedReminder(visit, words.advanceNow(approved.length > 0 ? approved : outcomes));
  }
  const token = visit.claim == null ? undefined : visit.token;
  return isDelegated(template, visit) ? words.advanceAfterAgent(outcomes, token) : words.advance(outcomes, token);
}

function waitForReview({ reviewOf }: Visit): string {
  const whose = reviewOf === "run" ? "the whole run" : "this step";
  return `The budget of ${whose} is spent. A person decides how to continue; do not work on it until then.`;
}

/** What the person said stands above, with their name. */
function approvedReminder(visit: Visit, now: string): string {
  const approved = approvalOf(visit);
  if (approved?.text == null) return `Approved by ${approved?.by}: ${now}.`;
  return `${now[0]?.toUpperCase()}${now.slice(1)}.`;
}

function isDelegated(template: Template, visit: Visit): boolean {
  return (stepSettings(template, visit.place)?.agent ?? null) !== null;
}

function pausedText(reason: string | null): string {
  const because = reason === null ? "" : ` (${JSON.stringify(reason)})`;
  return `The run is paused${because}. Do not work on it until a person resumes it.`;
}

function waitWord(visit: Visit, question: Question | null, words: AgentWords): string {
  if (visit.pending !== undefined) return waitForDecision(visit, visit.pending);
  if (question === null) return `This step waits for a person's approval. Once it is given, ${words.advanceAgain}.`;
  return (
    `This step waits for the answer to ${question.id}:\n${question.text.replace(/^/gm, "> ")}\n` +
    `Ask the person, wait, and ${words.passAnswerOn}. Do not answer it yourself, and do not continue.`
  );
}

function waitForDecision({ place, claim }: Visit, { why }: NonNullable<Visit["pending"]>): string {
  const task = place.type === "sub-step" && claim !== undefined ? ` --task ${shellWord(place.task)}` : "";
  const what = why === "failed" ? "This step has failed" : "The command of this step was interrupted";
  return `${what}. A person decides how to continue, with \`holdfast decide${task}\` in a terminal: retry, skip, go_to <step> or abandon. Tell them, and do not work on it until then.`;
}

/** Texts from outside the template that the agent must keep seeing, quoted as information rather than instructions. */
function pinnedTexts(run: StartedRun, visit: Visit, world: World): readonly string[] {
  return [
    approvalText(visit),
    ...[visit.said ?? null, visit.note].map((note) => (note === null ? "" : noteText(note))),
    run.carried.pivot === null ? "" : pivotText(run.carried.pivot),
    answersText(
      run.questions.filter((each) => each.answer !== null && isFor(visit, each) && !world.knows?.(each.text)),
    ),
  ].map((text) => withRealPaths(text, world));
}

/** Stored texts have a placeholder for the project's path, which is looked up only where it is used. */
function withRealPaths(text: string, world: World): string {
  return text.includes("{project_root}") ? fillProjectRoot(text, world.projectRoot) : text;
}

/** A warning that a pivot may undo work, with the git state at the time of the decision. */
export function turnedBackText({ from, commit, dirty }: Pivot): string {
  const changes = dirty === true ? ", with uncommitted changes" : "";
  const where = commit === null ? "" : ` At that time it was at commit ${commit.slice(0, 12)}${changes}.`;
  return `The work was sent back from "${from}": you may have to undo or change what is already done.${where}`;
}

function pivotText(pivot: Pivot): string {
  const feedback = pivot.text === null ? [] : [`${pivotTag} ${JSON.stringify(pivot.text)}`];
  return [...feedback, turnedBackText(pivot)].join("\n");
}

function noteText({ from, text }: Note): string {
  return `${noteHeads[from]}\n${quoted(text)}`;
}

/** What the person said; that it is approved stands in the reminder. */
function approvalText(visit: Visit): string {
  const approved = approvalOf(visit);
  return approved?.text == null ? "" : `${approved.by} approved this step and said:\n${quoted(approved.text)}`;
}

const noteHeads = {
  approval: "A person rejected this step and said:",
  approved: "A person approved the previous step and said:",
  review: "A person reviewed the spent budget and said:",
  failure: "The last attempt failed for this reason:",
  gate: "The gate failed when it was last checked:",
  goto: "A person moved the run to this step and said:",
  decision: "A person decided about the failure and said:",
  "failed-step": "The run came here because another step failed:",
  reopened: "A person reopened the run at this step and said:",
} as const;

/** Not what was asked about a task that another agent works on. */
function isFor({ claim }: Visit, { token }: Question): boolean {
  return [null, claim?.number].includes(claimIn(token));
}

function answersText(questions: readonly Question[]): string {
  if (questions.length === 0) return "";
  const pairs = questions.map(
    ({ id, text, answer }) => `${id}\n${quoted(text)}\nanswer (${answer?.by ?? ""})\n${quoted(answer?.text ?? "")}`,
  );
  return ["Answered questions of this phase:", ...pairs].join("\n");
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}
