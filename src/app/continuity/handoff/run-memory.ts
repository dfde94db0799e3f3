import { stepSettings } from "../../../engine/step-settings.ts";
import { turnedBackText } from "../../../engine/view/instructions.ts";
import type { RunMemory, SharedTasks } from "../../../handoff/facts.ts";
import { latestOutput, runProjectRoot } from "../../../journal/outputs.ts";
import type { LiveStanding } from "../../../journal/run-journal.ts";
import { ownEntry } from "../../../model/json.ts";
import { parseText } from "../../../model/placeholder.ts";
import type { Question, StartedRun, Visit } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import { listOf } from "../../todo/show-list.ts";
import { attempt, type ContinuityPorts } from "../ports/ports.ts";

interface Whose {
  readonly visit: Visit | null;
  readonly tasks: SharedTasks | null;
}

/** What the run remembers for a conversation that has lost it. */
export async function gatherMemory(
  ports: ContinuityPorts,
  standing: LiveStanding,
  template: Template,
  { visit, tasks }: Whose,
): Promise<RunMemory> {
  const { run } = standing;
  const { pivot, names } = run.carried;
  const inserted = visit === null ? [] : insertedBy(template, visit);
  const carried: { name: string; text: string }[] = [];
  for (const name of names.filter((each) => !inserted.includes(each) && each !== tasks?.loop)) {
    const text = await carriedValue(ports, standing, name);
    if (text.trim() !== "") carried.push({ name, text });
  }
  return {
    pivot: pivot && { text: pivot.text, about: turnedBackText(pivot) },
    carried,
    answers: run.questions.filter(isForOwn(tasks, visit)).flatMap(({ id, text, answer }) => {
      return answer === null ? [] : [{ id, question: text, answer: answer.text, by: answer.by }];
    }),
    todo: await attempt(ports, () => listOf(runProjectRoot(ports.roots, run), run)),
  };
}

/** In a loop that several agents work on, the questions of other tasks are none of the session's business. */
function isForOwn(tasks: SharedTasks | null, visit: Visit | null): (question: Question) => boolean {
  if (tasks === null) return () => true;
  const own = (visit === null ? tasks.own : [visit]).map(({ token }) => taskIn(token));
  return ({ step, token }) => step !== tasks.loop || own.includes(taskIn(token));
}

/** `build/t2` of `build/t2/implement#1@3`. */
function taskIn(token: string): string {
  return token.slice(0, token.lastIndexOf("/"));
}

/** Names that the visit's instructions already insert through placeholders. */
function insertedBy(template: Template, { place }: Visit): string[] {
  return parseText(stepSettings(template, place)?.instructions ?? "").flatMap((part) => {
    return part.type === "placeholder" && (part.root === "vars" || part.root === "outputs") ? [part.name] : [];
  });
}

/** A variable's value, the path of a named artifact, or the latest output of a step. */
async function carriedValue(ports: ContinuityPorts, standing: LiveStanding, name: string): Promise<string> {
  const { variables, artifacts }: StartedRun = standing.run;
  const variable = ownEntry(variables, name);
  if (variable !== undefined) return String(variable);
  const path = ownEntry(artifacts, name);
  return path === undefined ? ((await latestOutput(ports, standing, name)) ?? "") : `@${path}`;
}
