import { ownEntry } from "../../model/json.ts";
import { quote } from "../../model/quote.ts";
import type { LiveRun, StartedRun, Visit } from "../../model/run.ts";
import { claimsOf, isLive, openQuestion, waitsForApproval } from "../../model/run-state.ts";
import type { Status } from "../../model/status.ts";
import { agentWords } from "./agent-words.ts";
import type { World } from "./instructions.ts";

export type OpenTask = NonNullable<Status["openTasks"]>[number];

/** The open tasks of a loop that several agents work on; none elsewhere. */
export function openTasksOf(run: StartedRun): OpenTask[] {
  if (!isLive(run)) return [];
  return run.visits.flatMap((visit): OpenTask[] => {
    const { place, claim, token } = visit;
    if (place.type !== "sub-step" || claim === undefined) return [];
    const { title = place.task } = ownEntry(run.loops, place.step)?.tasks[place.index] ?? {};
    const { number: _number, ...holder } = claim ?? {};
    return [{ id: place.task, title, subStep: place.subStep, ...stateOf(run, visit), token, ...holder }];
  });
}

function stateOf(run: LiveRun, visit: Visit): Pick<OpenTask, "state" | "waitsFor"> {
  if (visit.review !== null) return { state: "waiting", waitsFor: "budget" };
  if (visit.pending !== undefined) return { state: "waiting", waitsFor: "decision" };
  if (openQuestion(run, visit.token) !== null) return { state: "waiting", waitsFor: "answer" };
  if (waitsForApproval(visit)) return { state: "waiting", waitsFor: "approval" };
  return { state: visit.claim === null ? "free" : "claimed" };
}

/** For a session that has no task of the loop, or several: nothing here is about what others work on, but how many do. */
export function betweenTasks(run: LiveRun, { session, isBetweenTasks, words = agentWords.plain }: World): string {
  const own = claimsOf(run, session).map(({ token }) => token);
  if (isBetweenTasks && own.length > 0) return `This task has ended. ${words.afterTask}`;
  if (own.length > 0) return `You have several tasks of this loop: ${own.join(", ")}. ${words.goOnWithTask}`;
  const tasks = openTasksOf(run);
  const free = tasks.filter(({ state }) => state === "free");
  const [claimed, waiting] = [countOf(tasks, "claimed"), countOf(tasks, "waiting")];
  const rest = `${claimed} being worked on, ${waiting} waiting for a person`;
  if (free.length === 0) return `You have no task of this loop, and none is free (${rest}). ${words.askLater}`;
  const names = free.map(({ id, title }) => `${id} ${quote(title)}`).join(", ");
  return `You have no task of this loop. Free: ${names} (${rest}). ${words.claimTask}`;
}

function countOf(tasks: readonly OpenTask[], state: OpenTask["state"]): number {
  return tasks.filter((task) => task.state === state).length;
}
