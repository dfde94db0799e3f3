import { withoutOpenTasks } from "../../../cards/card.ts";
import { openCards } from "../../../cards/card-reader.ts";
import { checkReading } from "../../../cards/required-reading.ts";
import { findStep, subStepsOf } from "../../../engine/step-settings.ts";
import { instructBarely } from "../../../engine/view/instructions.ts";
import { rulesOfVisit } from "../../../engine/view/visit-rules.ts";
import {
  emptyMemory,
  type Feedback,
  type HandoffFacts,
  type Here,
  type LastOutput,
  type RunMemory,
  type SharedTasks,
} from "../../../handoff/facts.ts";
import { doneText, longestAbout, longInstructions, visitRuleLines } from "../../../handoff/sections.ts";
import { personWait } from "../../../handoff/short-texts.ts";
import { findRequest, instructionWorld, lastEnding, runProjectRoot } from "../../../journal/outputs.ts";
import type { LiveStanding, Standing } from "../../../journal/run-journal.ts";
import type { Glance } from "../../../journal/stored-runs.ts";
import { ownEntry } from "../../../model/json.ts";
import { fillProjectRoot } from "../../../model/placeholder.ts";
import type { LiveRun, StartedRun, Visit } from "../../../model/run.ts";
import { approvalOf, processOf, visitOfSession } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";
import { ownNotes, phaseOf } from "../../runs/own-card.ts";
import { attempt, type ContinuityPorts } from "../ports/ports.ts";
import { doneItems } from "./done-items.ts";
import { sharedTasks } from "./shared-tasks.ts";

interface Viewpoint {
  readonly session: string;
  /** The visit that it is about; by default the only one that the session works on. */
  readonly visit?: Visit;
  readonly others: readonly Glance[];
}

/** Everything a handoff says about a live run, from the point of view of the session's own visit. */
export async function gatherFacts(
  ports: ContinuityPorts,
  standing: LiveStanding,
  { session, visit: named, others }: Viewpoint,
): Promise<HandoffFacts> {
  const { run } = standing;
  const template = await ports.templateOf(run);
  const visit = named ?? visitOfSession(run, session);
  const loop = run.visits.find(({ claim }) => claim !== undefined)?.place.step;
  const tasks = loop === undefined ? null : sharedTasks(template, run, loop, session);
  const card = (await attempt(ports, () => openCards(ports)?.find(run.runId)?.card)) ?? null;
  const own = ownNotes(template, run);
  const root = runProjectRoot(ports.roots, run);
  const reading = checkReading(root, [...own.required_reading, ...(card?.required_reading ?? [])]);
  const memory = await memoryOf(ports, standing, template, { visit, tasks });
  const done = await doneItems(ports, standing, template, visit);
  const here = visit === null ? null : await hereOf(ports, standing, template, visit);
  return {
    runId: run.runId,
    stateFile: null,
    workflow: run.workflow,
    workflowType: run.workflowType,
    summary: run.summary,
    request: await requestFor(ports, run, here),
    phase: phaseOf(template, run),
    updatedAt: run.updatedAt,
    copy: await ports.ageOfCopy(run.runId),
    done,
    lastOutput: await lastOutputOf(ports, standing, visit, { done, here, memory, tasks }),
    here,
    tasks,
    requiredReading: reading.entries,
    keyReminders: [...new Set([...own.key_reminders, ...(card?.key_reminders ?? [])])],
    context: omitCarried({ ...own.context, ...withoutOpenTasks(card?.context ?? {}) }, memory),
    feedback: feedbackOf(visit, root),
    memory,
    others: others.map(({ runId, step }) => ({ id: runId, where: `at ${step || "its beginning"}` })),
    notes: reading.notes,
  };
}

/** The request, as far as the instructions do not have it. */
async function requestFor(ports: ContinuityPorts, run: LiveRun, here: Here | null): Promise<HandoffFacts["request"]> {
  const request = await findRequest(ports, run);
  if (request === undefined) return null;
  const text = fillProjectRoot(request.text, runProjectRoot(ports.roots, run));
  const { file } = request;
  const isShown = here?.instructions.includes(file ?? text) === true;
  if (isShown) return file === null ? null : { text: null, file };
  return { text, file };
}

/** The output of the last ended visit, unless the handoff has it anyway. */
async function lastOutputOf(
  ports: ContinuityPorts,
  standing: Standing,
  visit: Visit | null,
  { done, here, memory, tasks }: Pick<HandoffFacts, "done" | "here" | "memory" | "tasks">,
): Promise<LastOutput | null> {
  const ending = await lastEnding(ports, standing, tasks?.loop ?? null, visit);
  const text = ending?.output.trim() ?? "";
  if (ending === null || text === "") return null;
  const { step } = ending.place;
  const isShown =
    done.some((item) => item.step === step && item.about === text && doneText(item).length <= longestAbout) ||
    here?.instructions.includes(text) === true ||
    memory.carried.some(({ name }) => name === step);
  return isShown ? null : { token: ending.token, text, failed: ending.type === "visit-failed" };
}

/** Loads the code for this only when there is something to remember, which is rare. */
async function memoryOf(
  ports: ContinuityPorts,
  standing: LiveStanding,
  template: Template,
  whose: { readonly visit: Visit | null; readonly tasks: SharedTasks | null },
): Promise<RunMemory> {
  const { carried, questions, todo } = standing.run;
  if (carried.pivot === null && carried.names.length + questions.length === 0 && todo === null) return emptyMemory;
  return (await import("./run-memory.ts")).gatherMemory(ports, standing, template, whose);
}

/** Leaves out the variables that the CARRIED section already shows. */
function omitCarried(context: HandoffFacts["context"], { carried }: RunMemory): HandoffFacts["context"] {
  const names = carried.map(({ name }) => name);
  return Object.fromEntries(Object.entries(context).filter(([name]) => !names.includes(name)));
}

async function hereOf(ports: ContinuityPorts, standing: LiveStanding, template: Template, visit: Visit): Promise<Here> {
  const { run } = standing;
  const world = await instructionWorld(ports, standing, template, visit, "mcp");
  const instructions = instructBarely(template, run, visit, world);
  // Two agents must not overwrite each other's.
  const file = visit.claim == null ? "instructions.md" : `instructions-${visit.claim.number}.md`;
  // A handoff without room for them shows their ends and points to this file.
  const whole = instructions.length > longInstructions;
  if (whole) await attempt(ports, () => ports.files.write(run.runId, file, instructions, "quick"));
  return {
    step: visit.place.step,
    number: template.steps.findIndex((step) => step.id === visit.place.step) + 1,
    total: template.steps.length,
    within: withinOf(template, run, visit),
    token: visit.token,
    instructions,
    rules: visitRuleLines(rulesOfVisit(template, run, visit)),
    instructionsFile: whole ? `.holdfast/runs/${run.runId}/${file}` : null,
    waiting: await waitOf(ports, template, run, visit),
  };
}

/** Loads the code for a running gate only when there may be one, which is rare. */
async function waitOf(ports: ContinuityPorts, template: Template, run: LiveRun, visit: Visit): Promise<string | null> {
  const gate =
    processOf(visit) === null ? null : (await import("./gate-wait.ts")).gateWait(ports, template, run, visit);
  return gate ?? personWait(run, visit);
}

function withinOf(template: Template, run: StartedRun, { place }: Visit): string | null {
  switch (place.type) {
    case "action":
      return null;
    case "command":
    case "loop":
      return findStep(template, place.step)?.type === "loop" ? "tasks not set yet" : null;
    case "ralph": {
      const step = findStep(template, place.step);
      return step?.type === "ralph" ? `iteration ${place.iteration}/${step.n}` : null;
    }
    case "sub-step": {
      const tasks = ownEntry(run.loops, place.step)?.tasks ?? [];
      const title = tasks[place.index]?.title ?? place.task;
      const subSteps = subStepsOf(template, place.step);
      const number = subSteps.findIndex(({ id }) => id === place.subStep) + 1;
      const task = `task ${place.index + 1}/${tasks.length} "${title}"`;
      return `${task} · sub-step ${place.subStep} (${number}/${subSteps.length})`;
    }
  }
}

function feedbackOf(visit: Visit | null, root: string): Feedback[] {
  if (visit === null) return [];
  const approved = approvalOf(visit);
  const said = approved?.text == null ? [] : [{ from: `approved by ${approved.by}`, text: approved.text }];
  const notes = [visit.said ?? null, visit.note].filter((note) => note !== null);
  const noted = notes.map(({ from, text }) => ({ from: feedbackHeads[from], text }));
  return [...said, ...noted].map(({ from, text }) => ({ from, text: fillProjectRoot(text, root) }));
}

const feedbackHeads = {
  approval: "rejected by a person",
  approved: "said with the approval of the previous step",
  review: "a person's review",
  failure: "the last attempt",
  gate: "the gate",
  goto: "said by the person who moved the run to this step",
  decision: "a person's decision about the failure",
  "failed-step": "the step that failed before",
  reopened: "said by the person who reopened the run",
};
