import { findStep } from "../../../engine/step-settings.ts";
import { oneLine } from "../../../handoff/data-text.ts";
import { isLiveStanding } from "../../../journal/run-journal.ts";
import { ownEntry } from "../../../model/json.ts";
import type { LiveRun, Visit } from "../../../model/run.ts";
import { canGoOn, isActionOpen, visitOfSession, visitsFor } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";
import { asOfText } from "../../../model/time.ts";
import { onlyRun } from "../../runs/choose-run.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import type { ContinuityPorts, HookSource } from "../ports/ports.ts";
import { findTracked } from "../tracked/tracked.ts";

/** Maximum lengths of the line and of a name in it, in characters. */
const longest = 120;
const longestName = 40;

/**
 * One line with the position of the session's run or tracked workflow; empty if there is none. It writes nothing but what
 * the session has cost, for the next turn that is counted.
 */
export async function statusLine(ports: ContinuityPorts, hook: HookSource, cost: number | null): Promise<string> {
  if (cost !== null && hook.session !== "") ports.sessions.setCost(hook.session, cost);
  const chosen = await chooseForHook(ports, hook);
  if (chosen === null) return trackedLine(ports);
  // Another session works on the run.
  if (chosen.claim === "taken" || !isLiveStanding(chosen.standing)) return "";
  const { run } = chosen.standing;
  // The rule of every command: a run is never guessed.
  const isMeant = chosen.claim === "bound" || onlyRun([run, ...chosen.others], ports.roots.worktree);
  if (!isMeant) return `${chosen.others.length + 1} live runs; see holdfast runs`;
  const age = await ports.ageOfCopy(run.runId);
  return joined([
    ...runParts(await ports.templateOf(run), run, hook.session),
    age === undefined ? "" : asOfText(age.asOf),
  ]);
}

function runParts(template: Template, run: LiveRun, session: string): string[] {
  const visit = visitOfSession(run, session);
  const own = visitsFor(run, session);
  const step = visit?.place.step ?? run.visits[0]?.place.step ?? run.last?.step ?? "";
  const number = template.steps.findIndex(({ id }) => id === step) + 1;
  return [
    named(run.workflow),
    `step ${number}/${template.steps.length} ${named(step)}`,
    visit === null ? countText(own.length) : withinOf(template, run, visit),
    visit !== null && isActionOpen(visit) ? `waits for /${visit.action.name}` : holdText(run, own),
  ];
}

/** For a session that has several tasks of a loop, or none. */
function countText(tasks: number): string {
  return tasks === 0 ? "no task" : `${tasks} tasks`;
}

/** What stops all that the session works on. */
function holdText(run: LiveRun, own: readonly Visit[]): string {
  if (run.status === "paused") return "paused";
  if (own.length === 0 || own.some((visit) => canGoOn(run, visit))) return "";
  return own.some(({ review }) => review !== null) ? "in review" : "waiting for approval";
}

function withinOf(template: Template, run: LiveRun, { place }: Visit): string {
  switch (place.type) {
    case "action":
      return "";
    case "command":
    case "loop":
      return findStep(template, place.step)?.type === "loop" ? "tasks not set" : "";
    case "sub-step":
      return `task ${place.index + 1}/${ownEntry(run.loops, place.step)?.tasks.length ?? 0}`;
    case "ralph": {
      const step = findStep(template, place.step);
      return `iteration ${place.iteration}${step?.type === "ralph" ? `/${step.n}` : ""}`;
    }
  }
}

async function trackedLine(ports: ContinuityPorts): Promise<string> {
  const tracked = await findTracked(ports);
  if (tracked === null) return "";
  const { workflow, phase } = tracked.card;
  const where = `phase ${phase.current}/${phase.total} ${named(phase.name)}`;
  return joined([named(workflow), where.trim(), phase.status === "blocked" ? "blocked" : ""]);
}

function named(name: string): string {
  return oneLine(name, longestName);
}

function joined(parts: readonly string[]): string {
  return oneLine(parts.filter((part) => part !== "").join(" · "), longest);
}
