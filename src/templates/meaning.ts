import { parseTrigger } from "../model/artifact.ts";
import { outcomeTargets } from "../model/template.ts";
import { didYouMean } from "./nearest.ts";
import { type Entry, entriesOf, fieldsOf, idsOf, type Outline, outline, textOf } from "./outline.ts";
import { placeholderFindings } from "./placeholders.ts";
import { error, type Finding, warning } from "./problem.ts";

/** What is wrong with a template although every value has its shape: names that lead nowhere, or to two things. */
export function checkMeaning(value: unknown): Finding[] {
  const template = outline(value);
  return [
    ...duplicates(template),
    ...template.steps.flatMap((step) => stepFindings(template, step)),
    ...template.loops.flatMap(({ id, subSteps }) =>
      subSteps.flatMap((each) => agentFindings(template, each, `${id}.`)),
    ),
    ...budgetFindings(template),
    ...template.transitions.flatMap((each) => transitionFindings(template, each)),
    ...template.artifacts.flatMap((each) => triggerFindings(template, each)),
    ...placeholderFindings(template),
    ...doubts(template),
  ];
}

function duplicates(template: Outline): Finding[] {
  return [
    ...repeatedIds(template.steps, "step"),
    ...template.loops.flatMap(({ id, subSteps }) => repeatedIds(subSteps, `sub-step of the loop "${id}"`)),
    ...repeatedIds(template.artifacts, "critical artifact"),
  ];
}

function repeatedIds(entries: readonly Entry[], what: string): Finding[] {
  const seen = new Set<string>();
  return entries.flatMap(({ path, fields }) => {
    const id = textOf(fields.id);
    if (id === undefined) return [];
    if (seen.has(id)) return [error([...path, "id"], `"${id}" is already the id of another ${what}`)];
    seen.add(id);
    return [];
  });
}

function stepFindings(template: Outline, step: Entry): Finding[] {
  const id = textOf(step.fields.id) ?? "";
  const loops = template.loops.map((loop) => loop.id);
  const lost = step.fields.type === "loop" && id !== "" && !loops.includes(id);
  return [
    ...(lost ? [error([...step.path, "id"], `no loop "${id}" under loops${didYouMean(id, loops)}`)] : []),
    ...agentFindings(template, step, ""),
    ...outcomeFindings(template, step),
  ];
}

function agentFindings({ agents }: Outline, { path, fields }: Entry, owner: string): Finding[] {
  const agent = textOf(fields.agent);
  if (agent === undefined || agents.includes(agent)) return [];
  const who = `${owner}${textOf(fields.id) ?? ""}`;
  return [
    error(
      [...path, "agent"],
      `"${who}" names the agent "${agent}", which is not under agents${didYouMean(agent, agents)}`,
    ),
  ];
}

function outcomeFindings({ steps }: Outline, { path, fields }: Entry): Finding[] {
  const ids = idsOf(steps);
  const known = [...ids, ...outcomeTargets];
  return Object.entries(fieldsOf(fields.outcomes)).flatMap(([outcome, target]) => {
    if (typeof target !== "string") return [];
    const here = [...path, "outcomes", outcome];
    if (!known.includes(target)) {
      return [error(here, `leads to "${target}", which is no step${didYouMean(target, known)}`)];
    }
    const both = ids.includes(target) && outcomeTargets.some((word) => word === target);
    return both ? [error(here, `"${target}" is a step and also the word for where a run goes; rename the step`)] : [];
  });
}

function budgetFindings(template: Outline): Finding[] {
  const ids = idsOf(template.steps);
  return [...template.steps, ...template.loops.flatMap((loop) => loop.subSteps)].flatMap(({ path, fields }) => {
    const target = textOf(fieldsOf(fields.budget).pivot_to);
    if (target === undefined || ids.includes(target)) return [];
    return [error([...path, "budget", "pivot_to"], `"${target}" is no step${didYouMean(target, ids)}`)];
  });
}

function transitionFindings({ steps, transitions }: Outline, { path, fields }: Entry): Finding[] {
  const ids = idsOf(steps);
  const lost = (["from", "to"] as const).flatMap((side) => {
    const step = textOf(fields[side]);
    if (step === undefined || ids.includes(step)) return [];
    return [error([...path, side], `"${step}" is no step${didYouMean(step, ids)}`)];
  });
  const first = transitions.find((other) => other.fields.from === fields.from && other.fields.to === fields.to);
  const again = first !== undefined && first.path.at(-1) !== path.at(-1);
  return again ? [...lost, error(path, "there is already a transition between these two steps")] : lost;
}

function triggerFindings({ steps }: Outline, { path, fields }: Entry): Finding[] {
  const ids = idsOf(steps);
  const phases = steps.flatMap((step) => textOf(step.fields.phase) ?? textOf(step.fields.id) ?? []);
  const triggers: readonly unknown[] = Array.isArray(fields.reload_triggers) ? fields.reload_triggers : [];
  return triggers.flatMap((text, index) => {
    const here = [...path, "reload_triggers", index];
    const trigger = typeof text === "string" ? parseTrigger(text) : null;
    const lostIn = (names: readonly string[], known: readonly string[], what: string) =>
      names
        .filter((name) => !known.includes(name))
        .map((name) => error(here, `"${name}" is no ${what} of this workflow${didYouMean(name, known)}`));
    if (trigger?.type === "step-start") return lostIn([trigger.step], ids, "step");
    if (trigger?.type === "phase-start") return lostIn([trigger.phase], phases, "phase");
    return trigger?.type === "phase-change" ? lostIn([trigger.from, trigger.to], phases, "phase") : [];
  });
}

const longInstructions = 4_000;

/** What loads and runs, and is probably not what was meant. */
function doubts(template: Outline): Finding[] {
  const { steps, loops, agents } = template;
  const all = [...steps, ...loops.flatMap((loop) => loop.subSteps)];
  const loopIds = idsOf(steps.filter((step) => step.fields.type === "loop"));
  const used = new Set(all.map((each) => each.fields.agent));
  return [
    ...loops
      .filter(({ id }) => !loopIds.includes(id))
      .map(({ id, path }) => warning(path, `no step uses the loop "${id}"`)),
    ...agents
      .filter((agent) => !used.has(agent))
      .map((agent) => warning(["agents", agent], `no step uses the agent "${agent}"`)),
    ...all.flatMap(entryDoubts),
    ...unreachable(steps),
    ...splitPhases(steps),
  ];
}

function entryDoubts({ path, fields }: Entry): Finding[] {
  const findings: Finding[] = [];
  const instructions = textOf(fields.instructions) ?? "";
  if (instructions.length > longInstructions) {
    findings.push(
      warning([...path, "instructions"], `is longer than ${longInstructions} characters; a handoff shortens it`),
    );
  }
  const retries = fields.on_fail === "retry" || (fields.on_fail === undefined && path[0] === "loops");
  if (fields.max_retries !== undefined && !retries) {
    findings.push(warning([...path, "max_retries"], "has no effect without on_fail: retry"));
  }
  for (const list of ["gate", "until"]) {
    for (const check of entriesOf(fields[list], [...path, list])) {
      const command = [check.fields.run].flat().join(" ");
      const variable = /\{vars\.([A-Za-z0-9_]+)\}/.exec(command)?.[1];
      if (variable === undefined) continue;
      const name = `HOLDFAST_VAR_${variable.toUpperCase()}`;
      findings.push(warning([...check.path, "run"], `nothing is pasted into a command; read $${name} instead`));
    }
  }
  return findings;
}

/** Steps that no outcome, no transition of the order and no pivot can lead to. */
function unreachable(steps: readonly Entry[]): Finding[] {
  const reached = new Set<number>();
  const ids = steps.map((step) => step.fields.id);
  const open = [0];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (index < 0 || index >= steps.length || reached.has(index)) continue;
    reached.add(index);
    const fields = steps[index]?.fields ?? {};
    const targets = Object.values(fieldsOf(fields.outcomes));
    if (targets.length === 0 || targets.includes("next")) open.push(index + 1);
    for (const target of [...targets, fieldsOf(fields.budget).pivot_to]) open.push(ids.indexOf(target));
  }
  return steps.flatMap(({ path, fields }, index) =>
    reached.has(index) ? [] : [warning(path, `no way leads to the step "${textOf(fields.id) ?? ""}"`)],
  );
}

function splitPhases(steps: readonly Entry[]): Finding[] {
  const ended = new Set<string>();
  return steps.flatMap(({ path, fields }, index) => {
    const before = textOf(steps[index - 1]?.fields.phase);
    const phase = textOf(fields.phase);
    if (before !== undefined && before !== phase) ended.add(before);
    if (phase === undefined || !ended.has(phase)) return [];
    return [
      warning([...path, "phase"], `the phase "${phase}" has ended before; this counts as another phase of that name`),
    ];
  });
}
