import { commandText } from "../../model/command-text.ts";
import type { Check, Gate, OutputCheck } from "../../model/gate.ts";
import type { Place } from "../../model/place.ts";
import { quote } from "../../model/quote.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { approvalOf, isApproval, processOf } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { minutesBetween } from "../../model/time.ts";
import type { AgentLimits, ApprovalPlace, VisitRules } from "../../model/visit-rules.ts";
import { commandAt, findStep, resolveChecks, stepSettings } from "../step-settings.ts";

/** The commands that are being checked before a visit may end, and for how long. */
export interface RunningGate {
  readonly commands: readonly string[];
  readonly seconds: number;
}

/** Null if nothing is being checked. A check whose process has died runs again with the next advance. */
export function runningGate(
  template: Template,
  run: Pick<StartedRun, "variables">,
  visit: Visit,
  now: string,
  isAlive: (runner: string) => boolean,
): RunningGate | null {
  const running = processOf(visit);
  if (running === null || !isAlive(running.runner)) return null;
  const seconds = Math.floor(minutesBetween(running.since, now) * 60);
  return { commands: gateCommands(template, run, visit.place), seconds };
}

/** The commands that run when a visit is about to end, in order; of a command step, its command. */
export function gateCommands(
  template: Template,
  { variables }: Pick<StartedRun, "variables">,
  place: Place,
): readonly string[] {
  const own = commandAt(template, variables, place);
  const gates: readonly Gate[] = stepSettings(template, place)?.gates ?? [];
  const checks: readonly Gate[] =
    own === null ? resolveChecks(template, variables, [...gates, ...untilOf(template, place)]) : [own.check];
  return checks.flatMap((check) => ("run" in check ? [commandText(check.run)] : []));
}

/** The checks that end the iterations of a ralph step. */
function untilOf(template: Template, place: Place): readonly Check[] {
  const step = findStep(template, place.step);
  return (step?.type === "ralph" && step.until) || [];
}

/** The rules that come with a visit. An approval that was given is no longer one. */
export function rulesOfVisit(
  template: Template,
  { variables }: Pick<StartedRun, "variables">,
  visit: Visit,
): VisitRules {
  const { place } = visit;
  const settings = stepSettings(template, place);
  const open = (settings?.gates ?? []).filter((gate) => !isApproval(gate) || !approvalOf(visit));
  return {
    gates: resolveChecks(template, variables, open).map(gateText),
    until: resolveChecks(template, variables, untilOf(template, place)).map(gateText),
    agent: limitsOf(template, settings?.agent ?? null),
    ...(settings && { hints: settings.hints }),
  };
}

function gateText(gate: Gate): string {
  if ("command" in gate) return `the command in the variable ${gate.command} passes`;
  if ("approval" in gate) return approvalText(gate.approval);
  if ("run" in gate) return `\`${commandText(gate.run)}\` passes`;
  if ("output" in gate)
    return `your ${answerText(gate)}${gate.message === undefined ? "" : ` (${gate.message.trim()})`}`;
  const files = [gate.exists].flat();
  return `${files.join(" and ")} ${files.length === 1 ? "exists" : "exist"}`;
}

/** What a check wants of the answer. */
export function answerText({ output }: OutputCheck): string {
  if ("contains" in output) return `output contains ${quote(output.contains)}`;
  return "matches" in output ? `output matches ${quote(output.matches)}` : `output is JSON that fits ${output.schema}`;
}

function approvalText(approval: Extract<Gate, { approval: unknown }>["approval"]): string {
  if (approval === "human") return "a person approves";
  return `a person approves in ${approval.human.map((place) => placeNames[place]).join(" or ")}`;
}

const placeNames: Readonly<Record<ApprovalPlace, string>> = {
  terminal: "a terminal",
  dashboard: "the dashboard",
  "host-dialog": "your program's dialog",
};

function limitsOf({ agents = {} }: Template, name: string | null): AgentLimits | null {
  const agent = name !== null && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (name === null || agent === undefined) return null;
  return { name, description: agent.description, cannot: agent.cannot ?? [] };
}
